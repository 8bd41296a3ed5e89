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


def stopped_calls(trials: Iterable[TrialSummary]) -> list[StoppedCalls]:
    """Return the stopped calls of trials, grouped by what stopped them and what came next."""
    # 1. Collect the scores: {"check": {"repeated and sent": [1.0, 0.0, 1.0]}}
    scores: dict[str, dict[str, list[float | None]]] = {}
    for trial in trials:
        for call, what_next in trial.stopped.items():
            scores_by_what_next = scores.setdefault(call.stopped_by, {})
            scores_by_what_next.setdefault(what_next, []).append(trial.own_score)

    # 2. Compute the count and mean of each list.
    groups: list[StoppedCalls] = []
    for stopped_by, scores_by_what_next in scores.items():
        for what_next, own_scores in sorted(scores_by_what_next.items()):
            group = StoppedCalls(
                stopped_by, what_next, len(own_scores), mean(own_scores)
            )
            groups.append(group)
    return groups
