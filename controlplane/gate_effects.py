"""What gates, rules and checks rejected in a run, and how those trials ended.

Gates and rules reject answers. Checks stop calls before they are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import DONE_OTHERWISE, NOT_DONE
from controlplane.journal.run_summary import TrialSummary
from controlplane.score_statistics import PASSED

NAMES_OF_CHECKS: Final = {"check": "pre-call check", "provenance": "provenance"}
"""The checks that stop calls before they are made: their names in the journal and in
reports."""


@dataclass(frozen=True, slots=True)
class GateEffect:
    """The rejections by one gate, rule or check in a run, and how those trials
    ended."""

    key: str
    """The gate or rule, such as `6/wording`, or the name of the check."""
    sent_back: int
    """A gate or rule: the number of answers that it rejected. A check: the number of
    calls that it stopped."""
    mended: int
    """How many of them the model mended: it gave another answer to which this gate or
    rule did not object, or it did not repeat the stopped call."""
    trials: int
    """The number of trials in which it rejected an answer or stopped a call."""
    accepted: int
    """How many of these trials ended with an accepted answer."""
    right: int | None
    """How many of these trials scored 1 in the end; None if no score is known."""
    fallback: int
    """How many of these trials ended with the fallback answer."""


@dataclass(frozen=True, slots=True)
class _Rejection:
    """One rejected answer, or one stopped call."""

    key: str
    """The gate, rule or check that rejected or stopped it."""
    is_mended: bool
    """As in `GateEffect.mended`."""


def gate_effects(trials: Iterable[TrialSummary]) -> tuple[GateEffect, ...]:
    """Return the effect of each gate, rule and check, beginning with the most
    rejections."""
    sent_back = Counter[str]()
    mended = Counter[str]()
    trials_by_key: dict[str, dict[str, TrialSummary]] = {}
    for trial in trials:
        for rejection in _rejections_of(trial):
            sent_back[rejection.key] += 1
            if rejection.is_mended:
                mended[rejection.key] += 1
            trials_by_key.setdefault(rejection.key, {})[trial.trial_id] = trial

    effects = []
    for key, own_trials in trials_by_key.items():
        effects.append(
            _effect(key, sent_back[key], mended[key], list(own_trials.values()))
        )
    return tuple(sorted(effects, key=lambda effect: (-effect.sent_back, effect.key)))


def _rejections_of(trial: TrialSummary) -> list[_Rejection]:
    """Return all rejected answers and all stopped calls of a trial."""
    rejections: list[_Rejection] = []
    for number, submission in enumerate(trial.submissions):
        is_last = number + 1 == len(trial.submissions)
        for key in submission.rejected:
            # The model mended the answer: it gave another one, and the gate or rule did
            # not object.
            is_mended = not is_last and not trial.submissions[number + 1].concerns(key)
            rejections.append(_Rejection(key, is_mended))

    for call, ending in trial.stopped.items():
        # A stopped call counts as mended if the model did not repeat it: it did without
        # the call, or did the same by another one.
        is_mended = ending in (NOT_DONE, DONE_OTHERWISE)
        rejections.append(_Rejection(NAMES_OF_CHECKS[call.stopped_by], is_mended))
    return rejections


def _effect(
    key: str, sent_back: int, mended: int, trials: list[TrialSummary]
) -> GateEffect:
    """Return the effect of one gate, rule or check. `trials` are those in which it
    objected."""
    scores = []
    accepted = 0
    fallback = 0
    for trial in trials:
        if trial.own_score is not None:
            scores.append(trial.own_score)
        if trial.submissions and not trial.submissions[-1].rejected:
            accepted += 1
        if trial.state == "fallback":
            fallback += 1
    right = None
    if scores:
        right = sum(1 for score in scores if score >= PASSED)
    return GateEffect(key, sent_back, mended, len(trials), accepted, right, fallback)
