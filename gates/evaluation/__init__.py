"""Measures gates and rules on recorded answers and kept cases."""

from gates.evaluation.run_comparison import TrialOutcome as TrialOutcome
