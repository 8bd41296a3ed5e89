"""Reads the scripts of a trial without running them.

`script_origins` is the entry: it says which paths and numbers an expression comes from.
"""
