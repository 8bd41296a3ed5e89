"""The user's files as a benchmark of one task: `files:DIR`, with the question as `--set question=...`."""
