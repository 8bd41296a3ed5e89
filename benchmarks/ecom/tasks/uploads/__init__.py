"""Scanned papers among the uploads: receipts, and requests with a competitor's article codes."""
