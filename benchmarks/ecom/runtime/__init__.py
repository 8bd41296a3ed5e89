"""The runtime of one trial: files, tools, clock and answer; it knows nothing of the truth."""
