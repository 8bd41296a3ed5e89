"""The environment of one trial: files, tools, clock and answer. The environment does not know the truth."""
