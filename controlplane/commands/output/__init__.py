"""What commands show and do with results: answers, changes of files, a run that goes on."""
