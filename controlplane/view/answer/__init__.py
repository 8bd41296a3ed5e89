"""The answer to a question about files: read from its run, written as text, with the changes as diffs."""
