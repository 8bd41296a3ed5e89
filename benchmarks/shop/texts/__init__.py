"""Reads the texts of a shop: words and names, pages, tables, and amounts of money."""
