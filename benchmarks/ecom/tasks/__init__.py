"""The tasks with their truths and reference solutions, and the grader."""
