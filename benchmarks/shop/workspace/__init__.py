"""A shop's workspace: its files and records, how it names things, and its people.

`workspace` is the entry: a `ShopLayout` has what was learned about one shop.
"""
