"""The language layer: what a script may write, import and use, and what it is told otherwise."""
