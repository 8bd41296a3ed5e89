"""Improves the texts of an agent on its failures:
plan, candidates, proposers, search, proof, page."""
