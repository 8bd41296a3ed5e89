"""Runs recorded trials again: compares, judges or grades them, or goes on from one of their steps.

`rerun` runs a trial again on its own tape. `verification` and `judged_submissions` use it.
`rebuilding` brings a new environment into a recorded state. `regrading` and `forking` use it.
"""
