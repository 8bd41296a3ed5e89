"""Records in files of several kinds: their fields, read and set."""
