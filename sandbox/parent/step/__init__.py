"""One step of a trial, as the parent sees it: the task, the answers to requests, the end."""
