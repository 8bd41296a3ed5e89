"""Finds the lines that state a value of an answer, and compares both values.

`line_search` is the entry; `value_equality` says whether two values agree.
"""
