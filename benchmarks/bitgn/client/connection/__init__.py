"""The connection to the platform: HTTP exchanges, replies and their errors."""
