"""Summaries of runs, made from events that a test chooses.

A `RunSummary` has what commands show of a run: its trials, scores and costs. It is folded from the
events of a journal, one after the other.

    summary = run_with_trials(["a.1", "a.2"], started=1)
    end_trial(summary, "a.1", score=0.5)
"""

from collections.abc import Sequence

from controlplane.agent.events import TrialStarted
from controlplane.journal.run_events import (
    AllottedTrial,
    RunStarted,
    Scored,
    TrialEnded,
)
from controlplane.journal.totals.run_summary import RunSummary, fold_event
from tests.support.journals import RUN_OPENED

STARTED_AT_MS = 1_800_000_000_000
"""When the run and all its trials started, in milliseconds since 1970."""


def run_with_trials(trial_ids: Sequence[str], *, started: int = 0) -> RunSummary:
    """Return a run of these trials, the first of which have started.

    The names of the run and its model are long, so that a display has to cut them. Each trial has
    its own task of the same name.
    """
    summary = RunSummary()
    opened = RUN_OPENED.model_copy(update={"run": "r" * 50, "model": "m" * 60})
    fold_event(summary, opened)
    trials = tuple(
        AllottedTrial(trial_id=trial_id, task_id=trial_id) for trial_id in trial_ids
    )
    fold_event(summary, RunStarted(run_id="x", trials=trials, at_ms=STARTED_AT_MS))
    for trial_id in trial_ids[:started]:
        start_trial(summary, trial_id)
    return summary


def start_trial(summary: RunSummary, trial_id: str) -> None:
    """Let a trial of the run start."""
    event = TrialStarted(
        trial_id=trial_id,
        task_id=trial_id,
        instruction="do",
        tool_schema="",
        now="2026-01-01",
        at_ms=STARTED_AT_MS,
    )
    fold_event(summary, event)


def end_trial(
    summary: RunSummary, trial_id: str, *, score: float | None, unscored: str = ""
) -> None:
    """End a trial with an answer; its score is None as long as the benchmark hides it, and for
    good if `unscored` says why."""
    fold_event(
        summary, TrialEnded(trial_id=trial_id, how="answered", elapsed_ms=10_000)
    )
    fold_event(summary, Scored(trial_id=trial_id, score=score, unscored=unscored))
