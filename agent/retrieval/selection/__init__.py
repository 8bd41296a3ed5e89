"""Selects the files that fit best for the first message, and tells which are left out."""
