"""The commands: each module parses the options of one subject's commands, runs them, and prints the results."""
