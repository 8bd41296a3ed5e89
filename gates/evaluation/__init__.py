"""Measures gates and rules on recorded answers and kept cases."""
