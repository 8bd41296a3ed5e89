"""The client of the platform's API."""
