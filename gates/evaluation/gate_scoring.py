"""Measures gates and rules on scored answers: wrong answers caught, right answers held up."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gates.evaluation.recorded_answers import RecordedAnswer, RecordedScore, judge_recorded
from gates.rule_packs import Pack
from gates.types.submission import INTERNAL

_FOLDS: Final = 5
MIN_CAUGHT_PER_FALSE: Final = 20
"""A rule is chosen only if it catches at least this many wrong answers for each right one that it holds up."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One scored answer, and the gates and rules that reject it."""

    id: str
    run: str
    score: float
    fault: str
    """The kind of fault that the grader names first; empty for a right answer."""
    rejected_by: tuple[str, ...]
    groups: Mapping[str, str] = field(default_factory=dict)
    """The groups that the answer belongs to, by `gates.evaluation.generalisation.GROUPINGS`."""

    @property
    def is_right(self) -> bool:
        """Whether the answer has the full score."""
        return self.score >= 1.0


@dataclass(slots=True)
class Tally:
    """How many wrong answers were caught and how many right ones held up."""

    wrong: int = 0
    right: int = 0
    caught: int = 0
    caught_partial: int = 0
    partial: int = 0
    false_positives: list[str] = field(default_factory=list)
    """The ids of right answers that were rejected."""

    @property
    def caught_share(self) -> float:
        """The share of wrong answers that were caught."""
        return self.caught / self.wrong if self.wrong else 0.0

    @property
    def false_per_thousand(self) -> float:
        """The right answers held up, per 1,000 right ones."""
        return 1_000 * len(self.false_positives) / self.right if self.right else 0.0


def judge_scored(
    answers: Iterable[RecordedAnswer],
    scores: Iterable[RecordedScore],
    packs: tuple[Pack, ...],
    verdicts: str = "grader",
) -> list[Judged]:
    """Judge the answers that `scores` holds the scores of, in the same order.

    Leaves out internal errors and scores of another origin than `verdicts`.
    """
    judged: list[Judged] = []
    for answer, score in zip(answers, scores, strict=True):
        if score.verdict != verdicts or answer.outcome == INTERNAL:
            continue
        rejected = tuple(each.name for each in judge_recorded(answer, packs).verdicts if each.rejects)
        fault = "" if score.score >= 1.0 else kind_of_fault(score.grader)
        run = f"{score.source} {score.run}"
        groups = {
            "run": run,
            "instruction": answer.task_text,
            "task": f"{answer.benchmark} {answer.task_id}",
            "model": score.model_family,
            "family": score.task_family,
            "benchmark": answer.benchmark,
        }
        judged.append(Judged(answer.id, run, score.score, fault, rejected, groups))
    return judged


def kind_of_fault(grader: Sequence[str]) -> str:
    """Return the grader's first line with its values masked, so that equal faults count together."""
    line = grader[0] if grader else "no line"
    line = re.sub(r"\"[^\"]*\"|'[^']*'|\[[^\]]*\]|(?<!\w)/\S+", "…", line)
    return re.sub(r"\d[\d.,~%]*", "N", line)[:80]


def tally(judged: Iterable[Judged], rules: frozenset[str] | None = None) -> Tally:
    """Count what the named gates and rules did together, or all of them if `rules` is None."""
    total = Tally()
    for each in judged:
        rejected = bool(each.rejected_by) if rules is None else not rules.isdisjoint(each.rejected_by)
        tally_one(total, each, rejected=rejected)
    return total


def tally_one(total: Tally, each: Judged, *, rejected: bool) -> None:
    """Add one answer to `total`."""
    if each.is_right:
        total.right += 1
        if rejected:
            total.false_positives.append(each.id)
    else:
        total.wrong += 1
        total.partial += each.score > 0
        total.caught += rejected
        total.caught_partial += rejected and each.score > 0


def rule_names(judged: Iterable[Judged]) -> list[str]:
    """Return every gate and rule that rejected anything, the most frequent first."""
    counted = Counter(name for each in judged for name in each.rejected_by)
    return [name for name, _ in counted.most_common()]


def cross_validate(judged: Sequence[Judged]) -> tuple[Tally, dict[str, int]]:
    """Choose rules on four fifths of the runs and measure them on the other fifth, for every fifth.

    A rule is chosen if it caught something, and at least 20 wrong answers for each right one that it held up. Returns
    the sum over the five measurements, and how often each rule was chosen.
    """
    runs = sorted({each.run for each in judged})
    fold_of = {run: place % _FOLDS for place, run in enumerate(runs)}
    total = Tally()
    chosen: Counter[str] = Counter()
    for fold in range(_FOLDS):
        known = [each for each in judged if fold_of[each.run] != fold]
        kept = frozenset(name for name in rule_names(known) if _is_worth_it(tally(known, frozenset({name}))))
        chosen.update(kept)
        for each in judged:
            if fold_of[each.run] == fold:
                tally_one(total, each, rejected=not kept.isdisjoint(each.rejected_by))
    return total, dict(chosen)


def _is_worth_it(alone: Tally) -> bool:
    return alone.caught > 0 and alone.caught >= MIN_CAUGHT_PER_FALSE * len(alone.false_positives)


def confidence_interval(count: int, of: int, deviations: float = 1.96) -> tuple[float, float]:
    """Return the Wilson interval of a share, at 95 % by default; (0, 1) if `of` is 0."""
    if not of:
        return 0.0, 1.0
    share, square = count / of, deviations**2
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = deviations / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of**2))
    return max(0.0, middle - half), min(1.0, middle + half)
