"""Reads the texts of a shop: words and names, pages, tables, and amounts of money.

For example, "Zoe Mueller" means `Dr. Zoë Müller`, and `€ 1.200,50` is 120050 cents.
"""
