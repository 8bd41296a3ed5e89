"""Requests that code answers before a model is asked."""
