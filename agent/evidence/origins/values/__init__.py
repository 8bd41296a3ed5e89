"""The values in arguments and texts, and the keys by which they are compared."""
