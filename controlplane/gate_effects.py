"""What gates, rules and checks rejected in a run, and how those trials ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import DONE_OTHERWISE, NOT_DONE
from controlplane.journal.run_summary import Objections, TrialSummary
from controlplane.score_statistics import PASSED

NAMES_OF_CHECKS: Final = {"check": "pre-call check", "provenance": "provenance"}
"""What stops calls before they are made: the name in the journal, and that in reports."""


@dataclass(frozen=True, slots=True)
class GateEffect:
    """What a gate, a rule or a check before calls rejected in one run, and how those trials ended."""

    key: str
    """The gate or rule, such as `6/wording`, or the name of the check."""
    sent_back: int
    """Answers that it rejected, or calls that it stopped."""
    mended: int
    """Rejected answers after which the trial's next answer had no such objection, and stopped calls that were not
    repeated."""
    trials: int
    """Trials in which it rejected an answer or stopped a call. The next three numbers count some of these trials."""
    accepted: int
    """Trials whose last answer was accepted."""
    right: int | None
    """Trials that scored 1 in the end; None if no score is known."""
    fallback: int
    """Trials that ended by the fallback."""


@dataclass(frozen=True, slots=True)
class _Rejection:
    """One rejected answer, or one stopped call."""

    key: str
    """What rejected or stopped it."""
    is_mended: bool


def gate_effects(trials: Iterable[TrialSummary]) -> tuple[GateEffect, ...]:
    """Return the effect of all that rejected an answer or stopped a call, most rejections first."""
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
        effects.append(_effect(key, sent_back[key], mended[key], list(own_trials.values())))
    return tuple(sorted(effects, key=lambda effect: (-effect.sent_back, effect.key)))


def _rejections_of(trial: TrialSummary) -> list[_Rejection]:
    """Return every rejection of an answer in a trial, and every stop of a call."""
    rejections: list[_Rejection] = []
    next_submissions: list[Objections | None] = [*trial.submissions[1:], None]
    for submission, next_submission in zip(trial.submissions, next_submissions, strict=False):
        for key in submission.rejected:
            is_mended = next_submission is not None and not next_submission.concerns(key)
            rejections.append(_Rejection(key, is_mended))
    for call, ending in trial.stopped.items():
        was_not_repeated = ending in (NOT_DONE, DONE_OTHERWISE)
        rejections.append(_Rejection(NAMES_OF_CHECKS[call.stopped_by], was_not_repeated))
    return rejections


def _effect(key: str, sent_back: int, mended: int, trials: list[TrialSummary]) -> GateEffect:
    """Return the effect of one gate, rule or check; `trials` are those in which it rejected something."""
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
