"""The command line: each command parses, calls, prints."""
