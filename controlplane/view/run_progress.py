"""The phase of a run, and an estimate of its remaining time."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from controlplane.journal.run_summary import WAITING, RunSummary

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


class RunPhase(StrEnum):
    """A phase of a run; its value is the display's last line."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; the rest can be resumed"
    STOPPING = "stopping after the running steps · Ctrl-C: now"
    STOPPING_WITH_KEYS = "stopping after the running steps · f: after the running trials · Ctrl-C: now"
    FINISHING = "stopping after the running trials · Ctrl-C: now"
    PAUSING = "pausing after the running steps: the run cannot continue for now"
    FAILING = "stopping: the run cannot continue"
    SUBMITTING = "submitting the run"
    SCORING = "submitted; waiting for the scores"
    OVER = "the scores are in"


def phase_of(run: Run, *, has_keys: bool = False) -> RunPhase:
    """Return the phase of `run`; `has_keys` says that the user can press keys."""
    summary, controls = run.summary, run.controls
    if not summary.trials:
        return RunPhase.STARTING
    if summary.submitted:
        return RunPhase.OVER if summary.state == "evaluated" else RunPhase.SCORING
    if run.paused:
        return RunPhase.PAUSING
    if controls.no_new.is_set() and not controls.interrupted.is_set():
        return RunPhase.FAILING
    if controls.no_new.is_set():
        if not controls.stop.is_set():
            return RunPhase.FINISHING
        return RunPhase.STOPPING_WITH_KEYS if has_keys else RunPhase.STOPPING
    if not summary.left:
        return RunPhase.SUBMITTING
    return RunPhase.WORKING


OUTLIVED: Final = 0.5
"""The least remaining time of a running trial, as a share of its age."""


def time_left_s(summary: RunSummary, now_ms: int) -> float | None:
    """Estimate the remaining seconds of the run; None until a trial has ended, and while no trial runs.

    The expected time of a trial is the total time of ended and running trials, divided by the number of ended trials:
    quick trials end first, so the mean of the ended trials alone would be too low.
    """
    ended = [trial.elapsed_ms / 1000 for trial in list(summary.trials.values()) if trial.elapsed_ms]
    ages = [max(now_ms - trial.started_ms, 0) / 1000 for trial in list(summary.running.values())]
    if not ended or not ages:
        return None
    mean_s = (sum(ended) + sum(ages)) / len(ended)
    of_running_s = [max(mean_s - age, OUTLIVED * age) for age in ages]
    dealt_s = (sum(of_running_s) + mean_s * summary.count(WAITING)) / len(ages)
    return max(dealt_s, max(of_running_s))
