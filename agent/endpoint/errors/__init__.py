"""Errors of model endpoints: refusals, broken connections, and replies that cannot be read."""
