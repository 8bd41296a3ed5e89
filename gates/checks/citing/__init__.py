"""Compares the reason for a citation with the cited file."""
