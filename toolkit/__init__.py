"""Deterministic functions over plain data and a reader: what code computes better than a model.

Every function returns a finding or a plain value; none guesses, and none knows a shop.
"""

from toolkit.finding import CannotRead, Finding, Reference

__all__ = ["CannotRead", "Finding", "Reference"]
