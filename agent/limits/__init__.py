"""The limits of a run's spending, and those that every solver's trial has."""
