"""Puts answers about a shop together: which findings and which documents they cite."""
