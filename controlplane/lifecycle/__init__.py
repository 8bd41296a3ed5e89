"""A run from start to submission: its trials, what they share, retries and resumption."""
