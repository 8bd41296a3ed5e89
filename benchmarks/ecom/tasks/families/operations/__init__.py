"""Tasks of operations: dispatch, crosslists, and the review of archives."""
