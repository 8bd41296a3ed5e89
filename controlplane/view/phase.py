"""Where a run stands."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.run import Run


class Phase(StrEnum):
    """Where a run stands, as its last line tells it."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; what is left can be resumed"
    STOPPING = "stopping after the running steps · f: after the running trials · Ctrl-C: now"
    FINISHING = "stopping after the running trials · Ctrl-C: now"
    PAUSING = "pausing after the running steps: the run cannot go on for now"
    SUBMITTING = "handing the run in"
    SCORING = "handed in; waiting for the scores"
    OVER = "the scores are in"


def phase_of(run: Run) -> Phase:
    """Return where `run` stands."""
    summary, controls = run.summary, run.controls
    if not summary.trials:
        return Phase.STARTING
    if summary.submitted:
        return Phase.OVER if summary.state == "evaluated" else Phase.SCORING
    if run.paused:
        return Phase.PAUSING
    if controls.no_new.is_set():
        return Phase.STOPPING if controls.stop.is_set() else Phase.FINISHING
    if all(each.is_over for each in list(summary.trials.values())):
        return Phase.SUBMITTING
    return Phase.WORKING
