"""Generate worlds: their records, names, policies, and pages that state the policies."""
