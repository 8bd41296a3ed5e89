"""Runs recorded scripts again and compares; forks and judges recorded trials."""
