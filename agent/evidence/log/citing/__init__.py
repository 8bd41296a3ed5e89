"""The citations of scripts: which file a script cites, and if the file has its quotation."""
