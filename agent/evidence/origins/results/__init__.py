"""Which origins the texts of a call's result have."""
