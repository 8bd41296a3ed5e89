"""Computes findings: functions of the toolkit, which run in a trial's aide and read by the trial's own calls."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.findings.finding_turns import FINDING_MODULE as FINDING_MODULE
    from agent.findings.finding_turns import compute_finding as compute_finding


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that an aide that computes imports nothing else."""
    if name in ("FINDING_MODULE", "compute_finding"):
        return getattr(import_module(f"{__name__}.finding_turns"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
