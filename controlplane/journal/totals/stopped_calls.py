"""Calls that were stopped before they were made, and what happened to them next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.journal.totals.score_means import mean
from controlplane.journal.totals.trial_summary import TrialSummary


@dataclass(frozen=True, slots=True)
class StoppedCalls:
    """Calls that were stopped before they were made, by the same check and with the same end."""

    stopped_by: str
    """`check` or `provenance`, as in `CallKey`."""
    what_next: str
    """What happened to them next, such as `repeated and sent`."""
    count: int
    mean_score: float | None
    """The mean score of their trials; None if no score is known."""
    unscored: int
    """How many of them are of trials that have no score for good."""


def stopped_calls(trials: Iterable[TrialSummary]) -> list[StoppedCalls]:
    """Return the stopped calls of trials, grouped by what stopped them and what came next."""
    # 1. Collect the trials: {"check": {"repeated and sent": [first, first, second]}}
    stopped: dict[str, dict[str, list[TrialSummary]]] = {}
    for trial in trials:
        for call, what_next in trial.stopped.items():
            trials_by_what_next = stopped.setdefault(call.stopped_by, {})
            trials_by_what_next.setdefault(what_next, []).append(trial)

    # 2. Compute the count and mean of each list.
    groups: list[StoppedCalls] = []
    for stopped_by, trials_by_what_next in stopped.items():
        for what_next, stopped_trials in sorted(trials_by_what_next.items()):
            group = StoppedCalls(
                stopped_by,
                what_next,
                len(stopped_trials),
                mean(trial.own_score for trial in stopped_trials),
                sum(bool(trial.why_unscored) for trial in stopped_trials),
            )
            groups.append(group)
    return groups
