"""Retries of calls after transient failures, and what they may use of a run."""
