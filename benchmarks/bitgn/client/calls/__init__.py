"""Calls of the platform, and how often they are repeated."""
