"""What gates, rules and checks rejected in a run, and how those trials ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import DONE_OTHERWISE, NOT_DONE
from controlplane.journal.run_summary import TrialSummary
from controlplane.score_statistics import PASSED

HOLDING: Final = {"check": "pre-call check", "provenance": "provenance"}
"""What holds calls, by its name in the journal."""


@dataclass(frozen=True, slots=True)
class GateEffect:
    """What a gate or rule rejected in one run, and how those trials ended."""

    key: str
    sent_back: int
    """Answers that it rejected, or calls that it held."""
    mended: int
    """Of these, answers whose next one it did not object to.

    Of held calls, those that were not repeated.
    """
    trials: int
    """Trials in which it rejected an answer."""
    accepted: int
    """Of these, trials whose last answer was accepted."""
    right: int | None
    """Of these, trials that scored 1 in the end; None if no score is known."""
    fallback: int
    """Of these, trials that ended by the fallback."""


def gate_effects(trials: Iterable[TrialSummary]) -> tuple[GateEffect, ...]:
    """Return the effect of all that rejected an answer or held a call, most rejections first."""
    sent_back = Counter[str]()
    mended = Counter[str]()
    trials_by_key: dict[str, dict[str, TrialSummary]] = {}
    for trial in trials:
        for key, is_mended in _rejections_of(trial):
            sent_back[key] += 1
            if is_mended:
                mended[key] += 1
            trials_by_key.setdefault(key, {})[trial.trial_id] = trial

    effects = []
    for key, own_trials in trials_by_key.items():
        effects.append(_effect(key, sent_back[key], mended[key], list(own_trials.values())))
    return tuple(sorted(effects, key=lambda effect: (-effect.sent_back, effect.key)))


def _rejections_of(trial: TrialSummary) -> list[tuple[str, bool]]:
    """Return what rejected an answer or held a call of a trial, and whether that was mended."""
    rejections = []
    for index, submission in enumerate(trial.submissions):
        later = trial.submissions[index + 1 : index + 2]
        for key in submission.rejected:
            is_mended = False
            for following in later:
                is_mended = key not in following.rejected and key not in following.overridden
            rejections.append((key, is_mended))
    for (stopped_by, *_), then in trial.stopped.items():
        rejections.append((HOLDING[stopped_by], then in (NOT_DONE, DONE_OTHERWISE)))
    return rejections


def _effect(key: str, sent_back: int, mended: int, trials: list[TrialSummary]) -> GateEffect:
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
        right = sum(score >= PASSED for score in scores)
    return GateEffect(key, sent_back, mended, len(trials), accepted, right, fallback)
