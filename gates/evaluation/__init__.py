"""Measures gates and rules on recorded answers, and on gate cases."""
