"""The step that a trial is at, and its calls, from their beginning to their outcomes.

Most calls are made one after the other. Reads may run side by side, or begin early, if the
environment allows it.
"""
