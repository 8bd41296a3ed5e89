"""The trials of a run: side by side, each from its start to its end."""
