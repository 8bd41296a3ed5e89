"""Judges submissions (answers that solvers hand in) by gates and rule sets."""

from controlplane.agent.submission.gate_settings import GateSettings
from controlplane.agent.submission.judging import (
    find_verdicts,
    judging_modules,
)
