"""Shows runs: their progress, their results, and their trials page by page."""
