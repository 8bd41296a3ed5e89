"""The records of a workspace: JSON files, the names of their fields, and searches for them."""
