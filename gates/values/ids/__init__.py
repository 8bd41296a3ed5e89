"""Ids and versions, and what looks like them."""
