"""Runs recorded trials again: compares, judges or grades them, or goes on from one of their steps.

`rerun` runs the scripts of a trial again, and gives the recorded results to their
calls. `verification` and `judged_submissions` use it. `rebuilding` repeats the calls of
a trial in a new environment. `regrading` and `forking` use it.
"""
