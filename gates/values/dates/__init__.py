"""Dates, months and times of day."""
