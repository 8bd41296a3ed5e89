"""Submissions (answers that were handed in), and the verdicts of the gates on them."""
