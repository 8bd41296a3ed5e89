"""The service for runs and trials."""
