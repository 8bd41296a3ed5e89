"""Reads requests to a shop: their kinds, dates, forms of answers, and posed instructions."""
