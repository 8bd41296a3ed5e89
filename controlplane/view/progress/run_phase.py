"""The phase in which a run is, as displays of its progress name it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


class RunPhase(StrEnum):
    """A phase of a run. Its value is a text for the user, the last line of the display."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; the rest can be resumed"
    STOPPING = "stopping after the running steps; a second Ctrl-C stops at once"
    PAUSING = "pausing after the running steps: the run cannot continue for now"
    FAILING = "stopping: the run cannot continue"
    SUBMITTING = "submitting the run"
    SCORING = "submitted; waiting for the scores"
    OVER = "the scores are in"


def phase_of(run: Run) -> RunPhase:
    """Return the present phase of a run."""
    summary = run.summary
    controls = run.controls
    if not summary.trials:
        return RunPhase.STARTING
    if summary.submitted:
        if summary.state == "evaluated":
            return RunPhase.OVER
        return RunPhase.SCORING
    if run.paused:
        return RunPhase.PAUSING
    if controls.stop.is_set():
        if controls.interrupted.is_set():
            return RunPhase.STOPPING
        return RunPhase.FAILING
    if not summary.trials.left:
        return RunPhase.SUBMITTING
    return RunPhase.WORKING
