"""The proposals of changes, and those who make them."""
