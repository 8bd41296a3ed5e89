"""What the grader of a benchmark may return, and its form as a `Grade`.

Simple graders return a number, such as `1.0`. Others add the reasons for a lower score,
or further metrics. `grade_of` checks each form and returns the same type for all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from controlplane.local_benchmark.generated_trial import Grade

Graded: TypeAlias = "Grade | float | tuple[float, Iterable[str]] | tuple[float, Iterable[str], Mapping[str, float]]"
"""What a grader may return: a `Grade`, or one of these forms.

- `0.5`: the score. True and False are scores, too.
- `0.5, ["no citation"]`: the score, with lines that say why it is not the best one.
- `0.5, ["no citation"], {"security": 1.0}`: the same, with further metrics by name.
"""
SHOWN_GRADE_CHARS: Final = 200


class ScoreScale(NamedTuple):
    """The lowest and the highest score of a benchmark."""

    lowest: float
    highest: float


UNIT_SCALE: Final = ScoreScale(0, 1)
ANY_NUMBER: Final = ScoreScale(-math.inf, math.inf)
"""The scale of scorers of other frameworks, which declare none."""


def grade_of(graded: Graded, grader: str, scale: ScoreScale = UNIT_SCALE) -> Grade:
    """Return a grader's result as a `Grade`.

    For example, `(0.5, ["no citation"])` becomes `Grade(0.5, ("no citation",), {})`. With
    the best score of the scale, the lines are dropped.

    Raises `TypeError` for a result of another type, and `ValueError` for a score
    outside of the scale. `grader` names the grader in messages.
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
        _check_scale(score.score, grader, scale)
        return score
    is_score = isinstance(score, int | float)
    if not is_score or isinstance(lines, str) or not isinstance(metrics, Mapping):
        msg = (
            f"{grader} returned {graded!r:.{SHOWN_GRADE_CHARS}}: return a score, (score, lines) "
            "or (score, lines, metrics)"
        )
        raise TypeError(msg)

    _check_scale(score, grader, scale)
    is_best = score >= scale.highest
    reasons = () if is_best else tuple(map(str, lines))
    figures = {str(name): float(figure) for name, figure in metrics.items()}
    return Grade(float(score), reasons, figures)


def _check_scale(score: float | None, grader: str, scale: ScoreScale) -> None:
    """Raise `ValueError` for a score outside of the scale. `grader` begins the message."""
    if score is None or scale.lowest <= score <= scale.highest:
        return
    msg = (
        f"{grader} returned the score {score!r:.{SHOWN_GRADE_CHARS}}, outside the scale from "
        f"{scale.lowest:g} to {scale.highest:g}: declare another as `scale = (LOWEST, HIGHEST)`"
    )
    raise ValueError(msg)
