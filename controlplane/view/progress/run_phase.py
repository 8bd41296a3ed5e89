"""Where a run stands."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


class Phase(StrEnum):
    """Where a run stands, as its last line tells it."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; what is left can be resumed"
    STOPPING = "stopping after the running steps · Ctrl-C: now"
    STOPPING_WITH_KEYS = "stopping after the running steps · f: after the running trials · Ctrl-C: now"
    FINISHING = "stopping after the running trials · Ctrl-C: now"
    PAUSING = "pausing after the running steps: the run cannot go on for now"
    FAILING = "stopping: the run cannot go on"
    SUBMITTING = "handing the run in"
    SCORING = "handed in; waiting for the scores"
    OVER = "the scores are in"


def phase_of(run: Run, *, has_keys: bool = False) -> Phase:
    """Return where `run` stands; `has_keys` says that the user can press keys."""
    summary, controls = run.summary, run.controls
    if not summary.trials:
        return Phase.STARTING
    if summary.submitted:
        return Phase.OVER if summary.state == "evaluated" else Phase.SCORING
    if run.paused:
        return Phase.PAUSING
    if controls.no_new.is_set() and not controls.interrupted.is_set():
        return Phase.FAILING
    if controls.no_new.is_set():
        if not controls.stop.is_set():
            return Phase.FINISHING
        return Phase.STOPPING_WITH_KEYS if has_keys else Phase.STOPPING
    if not summary.left:
        return Phase.SUBMITTING
    return Phase.WORKING
