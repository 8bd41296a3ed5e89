"""A run while it goes on."""
