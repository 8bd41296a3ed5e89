"""The trials of a run: how many are over, and their scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from fractions import Fraction
from typing import Final

from controlplane.journal.totals.score_means import mean, mean_metrics
from controlplane.journal.totals.trial_summary import (
    OPEN,
    OVER_WORST_FIRST,
    RUNNING,
    WAITING,
    TrialSummary,
)
from controlplane.score_scale import exact

# The order in which displays show the trials of a run: the worst first.


def worst_first(trials: Iterable[TrialSummary]) -> list[TrialSummary]:
    """Return the trials, worst first, in the order of `_Group`.

    In a group, they are sorted by score. Among equal scores, failed and unanswered
    trials come first, then those with more rejections.
    """
    return sorted(trials, key=_worst_first_key)


_STATES_WORST_FIRST: Final = (*OVER_WORST_FIRST, OPEN, RUNNING, WAITING)


def _worst_first_key(trial: TrialSummary) -> tuple[int, float, int, int, str]:
    """Return the sort key of a trial: the worst trial has the smallest key."""
    score = trial.score
    if score is None:
        # Below every score, so that trials without a score come first in their group.
        score = -math.inf
    return (
        _group_of(trial),
        score,
        _STATES_WORST_FIRST.index(trial.state),
        -trial.rejections.total(),
        trial.task_id,
    )


class _Group(IntEnum):
    """The groups of trials in `worst_first`, in this order."""

    FAULT = 0
    """Trials with a score below 1, without one for good, or without an answer of the solver."""
    OPEN_OR_RUNNING = 1
    SEALED = 2
    """Trials that the solver has answered, and whose score is not told yet."""
    PERFECT = 3
    WAITING = 4


def _group_of(trial: TrialSummary) -> _Group:
    """Return the group of a trial in `worst_first`."""
    if trial.score is not None:
        return _Group.FAULT if trial.score < 1 else _Group.PERFECT
    if trial.state == WAITING:
        return _Group.WAITING
    if not trial.is_over:
        return _Group.OPEN_OR_RUNNING
    is_sealed = trial.state == "answered" and not trial.why_unscored
    return _Group.SEALED if is_sealed else _Group.FAULT


class RunTrials(dict[str, TrialSummary]):
    """The trials of a run by their ids, in the benchmark's order.

    While one thread adds trials, others may use the properties.
    """

    def copied(self) -> list[TrialSummary]:
        """Return the trials as a list, which does not grow while it is gone through."""
        return list(self.values())

    @property
    def running(self) -> list[TrialSummary]:
        """The running trials, in the order of their start."""
        running = [trial for trial in self.copied() if trial.state == RUNNING]
        return sorted(running, key=lambda trial: trial.started_ms)

    def mark_stopped(self) -> None:
        """Mark running trials as open, because the process that worked on them is gone."""
        for trial in self.running:
            trial.stop(OPEN, "cut off")

    def count(self, *states: str) -> int:
        """Return the number of trials in these states."""
        return sum(1 for trial in self.copied() if trial.state in states)

    @property
    def over(self) -> int:
        """The number of trials that are over."""
        return self.count(*OVER_WORST_FIRST)

    @property
    def left(self) -> int:
        """The number of trials that are not over."""
        return len(self) - self.over

    @property
    def worst_first(self) -> list[TrialSummary]:
        """The trials, worst first."""
        return worst_first(self.values())

    @property
    def scores(self) -> list[float]:
        """The known scores of the trials that are over."""
        # `own_score` is None for a trial that is not over, too.
        own_scores = [trial.own_score for trial in self.copied()]
        return [score for score in own_scores if score is not None]

    @property
    def full_scores(self) -> int:
        """The number of trials that are over and have the full score."""
        return sum(1 for score in self.scores if score >= 1.0)

    @property
    def mean_score(self) -> float | None:
        """The mean of the known scores; None if there are none."""
        return mean(self.scores)

    @property
    def unscored(self) -> dict[str, int]:
        """The reasons why trials that are over have no score, with their numbers of trials.

        The most frequent comes first. Trials whose scores are sealed are not among them.
        """
        reasons = Counter[str]()
        for trial in self.copied():
            if trial.why_unscored:
                reasons[trial.why_unscored] += 1
        return dict(reasons.most_common())

    @property
    def counted_mean(self) -> Fraction | None:
        """The mean score, in which a trial that is over without one counts as 0.

        None if no trial has a score. It is exact, so that no rounding decides whether it
        reaches a limit: the mean of nine scores of 0.7 is 7/10.
        """
        counted = [trial.counted_score for trial in self.copied()]
        known = [exact(score) for score in counted if score is not None]
        if not self.scores:
            return None
        return sum(known, Fraction()) / len(known)

    @property
    def metrics(self) -> dict[str, float]:
        """The means of the graders' further figures, by name."""
        return mean_metrics(trial.metrics for trial in self.copied() if trial.is_over)
