"""Judges a submission: asks every rule, and concludes from the verdicts if it is accepted."""
