"""The record of a trial: its environment, calls, events, and what they make citable."""
