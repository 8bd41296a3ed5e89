"""The environment of one trial: files, tools, clock and answer. It knows nothing of the truth."""
