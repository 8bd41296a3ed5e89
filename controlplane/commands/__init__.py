"""The commands: each module parses one command's options, calls the lifecycle or the replay, and prints the result."""
