"""Sends the calls of a trial and its functions, and records their outcomes."""
