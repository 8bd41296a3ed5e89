"""Which numbers are scores: the finite ones of a benchmark's scale, mostly from 0 to 1.

A grader may leave anything: 2, -5, 1e308, a text. What is no score of the scale is told, and its
trial has no score. That stops nothing, and counts as 0 where it matters (`--fail-under`,
`compare`), so that breaking a grader gains nothing.

| value | from 0 to 1 | any number |
|---|---|---|
| 1.0000000001 | 1.0 (within rounding) | 1.0000000001 |
| 2 | no score | 2.0 |
| 1e308, NaN, "good" | no score | no score |
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

_MAX_SCORE: Final = 10**15
"""The largest number that is a score or a metric, so that sums and journals hold it."""
ROUNDING: Final = 1e-9
"""A grader that adds up parts may miss the end of a scale by so much."""
_SHOWN_VALUE_CHARS: Final = 40
MAX_REASON_CHARS: Final = 300
RecordedScale: TypeAlias = tuple[float | None, float | None]
"""A scale as journals have it: None is an end without a bound."""


class ScoreScale(NamedTuple):
    """The lowest and the highest score of a benchmark."""

    lowest: float
    highest: float

    @classmethod
    def of(cls, declared: Iterable[float]) -> ScoreScale:
        """Return a scale that a benchmark has declared. Raises `ValueError` if it is none."""
        try:
            lowest, highest = (float(end) for end in declared)
        except (TypeError, ValueError, OverflowError):
            lowest = highest = math.nan
        if not lowest < highest:  # Nor for NaN.
            msg = f"{declared!r:.{_SHOWN_VALUE_CHARS}} is no scale of scores: declare `scale = (LOWEST, HIGHEST)`"
            raise ValueError(msg)
        return cls(lowest, highest)

    @classmethod
    def from_recorded(cls, recorded: RecordedScale) -> ScoreScale:
        """Return the scale that a journal has."""
        lowest, highest = recorded
        return cls(
            -math.inf if lowest is None else lowest,
            math.inf if highest is None else highest,
        )

    @property
    def recorded(self) -> RecordedScale:
        """The scale as journals have it."""
        return _bound(self.lowest), _bound(self.highest)

    def __str__(self) -> str:
        """Return `from 0 to 1`, `from 0` or `any number`."""
        lowest, highest = self.recorded
        if lowest is None and highest is None:
            return "any number"
        if highest is None:
            return f"from {lowest:g}"
        if lowest is None:
            return f"up to {highest:g}"
        return f"from {lowest:g} to {highest:g}"

    @property
    def beside_mean(self) -> str:
        """What stands beside a mean: ` (scale: any number)`; nothing for a scale from 0 to 1."""
        return "" if self == UNIT_SCALE else f" (scale: {self})"

    @property
    def without_score(self) -> float:
        """What a trial without a score counts: 0, or the lowest score of a scale that goes below."""
        return min(0.0, self.lowest) if math.isfinite(self.lowest) else 0.0

    def score_of(self, value: object) -> float | None:
        """Return a grader's value as a score of this scale; None if it is none.

        A value that misses an end of the scale by a rounding error is that end.
        """
        score = finite_number(value)
        if score is None:
            return None
        for end in (self.lowest, self.highest):
            if abs(score - end) < ROUNDING:
                return float(end)
        return score if self.lowest <= score <= self.highest else None

    def fault_of(self, value: object) -> str:
        """Return why a value is no score of this scale."""
        if finite_number(value) is None:
            return f"the score {shown_value(value)} is no number up to 10^15"
        return f"the score {shown_value(value)} is not {self}"


UNIT_SCALE: Final = ScoreScale(0, 1)
ANY_NUMBER: Final = ScoreScale(-math.inf, math.inf)
"""The scale of graders of other frameworks, which declare none."""


def finite_number(value: object) -> float | None:
    """Return a value as a number; None unless it is a finite one up to `_MAX_SCORE`."""
    if not isinstance(
        value, numbers.Real
    ):  # True and numbers of NumPy are real numbers.
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError, TypeError):
        return None
    return number if abs(number) <= _MAX_SCORE else None  # False for NaN, too.


def exact(number: float) -> Fraction:
    """Return a number as it is written: 0.7 is 7/10, not the nearest binary fraction."""
    return Fraction(repr(float(number)))


def exact_mean_over_tasks(
    scores: Iterable[tuple[str, float | None]],
) -> Fraction | None:
    """Return the mean score over tasks, of which each weighs the same, however often it was tried.

    `scores` has the name of a task and a score for each trial; None is left out. Returns None
    if no score is left. All mean scores of a run are made here, so that they agree. No rounding of
    a sum shows: the mean of three scores of 0.7 is 7/10.
    """
    scores_by_task: dict[str, list[Fraction]] = {}
    for task, score in scores:
        if score is not None:
            scores_by_task.setdefault(task, []).append(exact(score))
    if not scores_by_task:
        return None
    means = [sum(own, Fraction()) / len(own) for own in scores_by_task.values()]
    return sum(means, Fraction()) / len(means)


def mean_over_tasks(
    scores: Iterable[tuple[str, float | None]],
) -> float | None:
    """Return `exact_mean_over_tasks` as a number to show."""
    mean = exact_mean_over_tasks(scores)
    return None if mean is None else float(mean)


def sound_metrics(
    metrics: Mapping[str, object],
) -> tuple[dict[str, float], list[str]]:
    """Return the metrics that are finite numbers, and a line for each that is not."""
    sound: dict[str, float] = {}
    faults: list[str] = []
    for name, value in metrics.items():
        number = finite_number(value)
        if number is None:
            faults.append(
                f"the metric {name!r:.{_SHOWN_VALUE_CHARS}} is no number up to 10^15"
            )
        else:
            sound[name] = number
    return sound, faults


def _bound(end: float) -> float | None:
    """Return the end of a scale as journals have it: None if it is not bounded."""
    return float(end) if abs(end) <= _MAX_SCORE else None


def shown_value(value: object) -> str:
    """Return a value as reasons show it: a number of 400 digits is cut."""
    if isinstance(value, float):
        return f"{value:g}"
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - an object of a grader, or a number of too many digits
        return f"({type(value).__name__})"
    return text if len(text) <= _SHOWN_VALUE_CHARS else f"{text[:_SHOWN_VALUE_CHARS]}…"
