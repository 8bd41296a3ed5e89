"""The file task.toml of a task in a folder: its tables, values and contradictions."""
