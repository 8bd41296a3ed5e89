"""The totals of a run and of its trials, updated with each event of the journal."""
