"""Commands that start, continue and end runs, and that serve a benchmark."""
