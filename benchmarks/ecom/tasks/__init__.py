"""The tasks with their truths, and the grader."""
