"""Computes findings: functions of the toolkit, which run in a trial's aide and read by the trial's own calls."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.findings.finding_turns import FINDING_MODULE, compute_finding

__getattr__ = agent.lazy_face(__name__, __file__)
