"""What the grader of a benchmark may return, and its form as a `Grade`.

Simple graders return a number, such as `1.0`. Others add the reasons for a lower score,
or further metrics. `grade_of` checks each form and returns the same type for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, TypeAlias

from controlplane.local_benchmark.local_benchmark import Grade
from controlplane.score_scale import (
    UNIT_SCALE,
    ScoreScale,
    finite_number,
    shown_value,
    sound_metrics,
)

Graded: TypeAlias = "Grade | float | tuple[float, Iterable[str]] | tuple[float, Iterable[str], Mapping[str, float]]"
"""What a grader may return: a `Grade`, or one of these forms.

- `0.5`: the score. True and False are scores, too; for False, a line says that it was the grader's.
- `0.5, ["no citation"]`: the score, with lines that say why it is not the best one.
- `0.5, ["no citation"], {"security": 1.0}`: the same, with further metrics by name.
"""


def grade_of(graded: Graded, grader: str, scale: ScoreScale = UNIT_SCALE) -> Grade:
    """Return a grader's result as a `Grade`.

    For example, `(0.5, ["no citation"])` becomes `Grade(0.5, ("no citation",), {})`. With
    the best score of the scale, the lines are dropped.

    A result that is no score of the scale becomes a grade without a score. Its first line says
    why; `grader` names the grader in it.
    """
    score: Any
    lines: Any
    metrics: Any
    if isinstance(graded, tuple) and len(graded) == 3:
        score, lines, metrics = graded
    elif isinstance(graded, tuple) and len(graded) == 2:
        score, lines = graded
        metrics = {}
    else:
        score = graded
        lines = ()
        metrics = {}
    if isinstance(score, Grade):
        score, lines, metrics = score.score, score.details, score.metrics
        if score is None:
            return Grade(None, _lines(lines), _figures(metrics))

    number = scale.score_of(score)
    if number is None:
        refusal = _refusal(score, grader, scale)
        return Grade(None, (*refusal, *_lines(lines)), _figures(metrics))
    is_best = number >= scale.highest
    if score is False and not lines:
        lines = (f"{grader} returned False, without a reason",)
    return Grade(number, () if is_best else _lines(lines), _figures(metrics))


def _refusal(score: object, grader: str, scale: ScoreScale) -> tuple[str, ...]:
    """Return why what a grader has returned is no score: the reason first, then what to do."""
    if not isinstance(score, Real):
        remedy = "a grader returns a score, (score, lines) or (score, lines, metrics)"
        return f"{grader} returned {shown_value(score)}, which is no score", remedy
    reason = scale.fault_of(score)
    if finite_number(score) is None:
        return (reason,)
    return (
        reason,
        "a benchmark declares another scale as `scale = (LOWEST, HIGHEST)`",
    )


def _lines(lines: object) -> tuple[str, ...]:
    """Return the lines of a grader as texts: `"no date"` is one line."""
    if isinstance(lines, str):
        return (lines,)
    if not isinstance(lines, Iterable):
        return (shown_value(lines),)
    return tuple(map(str, lines))


def _figures(metrics: object) -> dict[str, float]:
    """Return the further figures of a grader. Those that are no numbers are left out."""
    if not isinstance(metrics, Mapping):
        return {}
    return sound_metrics({str(name): value for name, value in metrics.items()})[0]
