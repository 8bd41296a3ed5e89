"""The phases of a run, which one it is in, and how long its trials will take."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from controlplane.journal.run_summary import WAITING, RunSummary

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


class RunPhase(StrEnum):
    """A phase of a run; its value is what the display's last line says."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; what is left can be resumed"
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


def time_left_s(summary: RunSummary, now_ms: int) -> float | None:
    """Estimate the remaining seconds of the run; None until a trial of this session has ended.

    Every trial is assumed to take the mean time of those that ended.
    """
    ended = [each.elapsed_ms for each in list(summary.trials.values()) if each.elapsed_ms]
    running = list(summary.running.values())
    if not ended or not running:
        return None
    mean_ms = sum(ended) / len(ended)
    left = [max(mean_ms - (now_ms - each.started_ms), 0.1 * mean_ms) for each in running]
    waiting = summary.count(WAITING)
    return max((sum(left) + waiting * mean_ms) / len(running), 0.0 if waiting else max(left)) / 1000
