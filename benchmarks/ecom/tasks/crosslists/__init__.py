"""The task to answer a competitor's scanned purchase request with a table, the crosslist."""
