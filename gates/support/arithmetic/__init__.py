"""Recalculates what an answer calculates: sums, shares, changes and durations.

`answer_arithmetic` is the entry.
"""
