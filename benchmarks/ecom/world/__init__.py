"""Generate worlds: their records, names, policies, and documents that state the policies."""
