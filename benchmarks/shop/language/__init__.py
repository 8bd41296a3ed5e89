"""Reads a shop's requests, records and evidence for the rules."""
