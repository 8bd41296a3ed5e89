"""Computes from a shop's records and documents what an answer must be, to compare it with what was submitted."""
