"""The order in which displays show the trials of a run: the worst first."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from controlplane.journal.totals.trial_summary import (
    OPEN,
    OVER_WORST_FIRST,
    RUNNING,
    WAITING,
    TrialSummary,
)


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
