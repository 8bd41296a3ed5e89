"""The record of a trial: its environment, calls, events, and what they make citable."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.evidence.citable_paths import MAX_PATH_CHARS
    from agent.evidence.environment import Environment
    from agent.evidence.evidence_log import EvidenceLog
    from agent.evidence.recorder import NEAR_NAMES, Recorder
    from agent.evidence.step_record import Difference, StepRecord

_HOMES = {
    "citable_paths": ("MAX_PATH_CHARS",),
    "environment": ("Environment",),
    "evidence_log": ("EvidenceLog",),
    "recorder": ("NEAR_NAMES", "Recorder"),
    "step_record": ("Difference", "StepRecord"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
