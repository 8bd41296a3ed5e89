"""Payments of a shop: review of answers about them, and series of them that look like fraud."""
