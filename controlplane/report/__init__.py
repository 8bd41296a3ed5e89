"""One HTML file about runs, to read offline.

It has scores, failures, gates, costs, and every step of every trial.
"""
