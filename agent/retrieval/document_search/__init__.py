"""Finds the documents that fit a request, which are texts for all trials, and ranks them."""
