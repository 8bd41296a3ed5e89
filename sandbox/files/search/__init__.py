"""The search for lines of files that match a regular expression."""
