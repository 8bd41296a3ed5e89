"""Measures gates and rules on recorded answers, gate cases and runs."""

from gates.evaluation.run_comparison import TrialOutcome as TrialOutcome
