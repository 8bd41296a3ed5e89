"""A question about the user's files as a benchmark: `files:DIR` with `--set question=...`."""
