"""The journal of a run: one JSON event per line.

Each line has the hash of the line before, and is written before the next thing happens.
"""
