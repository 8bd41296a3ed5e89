"""The user's own program as the solver of each trial."""
