"""Judges submissions (answers that solvers hand in) by gates and rule sets."""

from controlplane.agent.submission.gate_settings import GateSettings
from controlplane.agent.submission.judging import find_verdicts
from controlplane.agent.submission.user_rule_sets import judging_modules
