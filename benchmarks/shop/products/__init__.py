"""The products of a shop, and how requests and scanned receipts describe them.

`catalogue` is the entry.
"""
