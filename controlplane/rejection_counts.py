"""What gates, rules and checks rejected in a run, and how those trials ended.

Gates and rules reject answers. Checks stop calls before they are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from controlplane.agent.events import DONE_OTHERWISE, NOT_DONE
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.score_statistics import PASSED

_NAMES_OF_CHECKS: Final = {"check": "pre-call check", "provenance": "provenance"}
"""The checks that stop calls before they are made: their names in the journal and in reports."""


@dataclass(frozen=True, slots=True)
class RejectionCounts:
    """The rejections by one gate, rule or check in a run, and how those trials ended."""

    key: str
    """The gate or rule, such as `6/wording`, or the name of the check."""
    sent_back: int
    """A gate or rule: the number of answers that it rejected.
    A check: the number of calls that it stopped."""
    mended: int
    """How many of them the model mended: it gave another answer to which this
    gate or rule did not object, or it did not repeat the stopped call."""
    trials: int
    """The number of trials in which it rejected an answer or stopped a call."""
    accepted: int
    """How many of these trials ended with an accepted answer."""
    right: int | None
    """How many of these trials scored 1 in the end; None if no score is known."""
    fallback: int
    """How many of these trials ended with the fallback answer."""


def rejection_counts(trials: Iterable[TrialSummary]) -> tuple[RejectionCounts, ...]:
    """Return the counts of each gate, rule and check, beginning with the most rejections."""
    by_key: dict[str, list[tuple[TrialSummary, bool]]] = {}
    for trial in trials:
        for key, is_mended in (*_rejected_answers(trial), *_stopped_calls(trial)):
            by_key.setdefault(key, []).append((trial, is_mended))
    counts = [_counts_of(key, rejections) for key, rejections in by_key.items()]
    return tuple(sorted(counts, key=lambda count: (-count.sent_back, count.key)))


def _rejected_answers(trial: TrialSummary) -> Iterator[tuple[str, bool]]:
    """Yield the gates and rules that rejected answers.

    Each comes with True if the model mended the answer: the gate or rule did not object to
    the next one.
    """
    # `zip_longest` pairs the last answer with None: no other answer followed.
    for answer, next_answer in zip_longest(trial.submissions, trial.submissions[1:]):
        for key in answer.rejected:
            yield key, next_answer is not None and not next_answer.concerns(key)


def _stopped_calls(trial: TrialSummary) -> Iterator[tuple[str, bool]]:
    """Yield the checks that stopped calls.

    Each comes with True if the model did without the call, or did the same by another one.
    """
    for call, ending in trial.stopped.items():
        yield _NAMES_OF_CHECKS[call.stopped_by], ending in (NOT_DONE, DONE_OTHERWISE)


def _counts_of(
    key: str, rejections: Sequence[tuple[TrialSummary, bool]]
) -> RejectionCounts:
    """Return what one gate, rule or check rejected, and how those trials ended.

    Each rejection has its trial, and True if the model mended it. Without any score, it is unknown
    how many trials were right.
    """
    trials = {trial.trial_id: trial for trial, _ in rejections}.values()
    scores = [trial.own_score for trial in trials if trial.own_score is not None]
    right = [score for score in scores if score >= PASSED]
    return RejectionCounts(
        key=key,
        sent_back=len(rejections),
        mended=sum(1 for _, is_mended in rejections if is_mended),
        trials=len(trials),
        accepted=sum(
            1
            for trial in trials
            if (bool(trial.submissions) and not trial.submissions[-1].rejected)
        ),
        right=len(right) if scores else None,
        fallback=sum(1 for trial in trials if trial.state == "fallback"),
    )
