"""The branches of a shop: found by the names that people use, and their stock.

`branch_searches` finds the branch that a name means, `branch_names` reads all names in one
search, and `branch_stock` counts the units of a product at a branch.
"""
