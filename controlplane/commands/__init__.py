"""The commands: a module parses the options of those of one subject, does what they ask, and prints the result."""
