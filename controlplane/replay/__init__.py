"""Runs recorded scripts again and compares."""
