"""Generates worlds: records, their layout, policies, and the documents that state them."""
