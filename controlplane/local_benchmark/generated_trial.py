"""A trial whose world is created, and the grade that it gets at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.benchmark import Trial, TrialScore

MAX_GRADE_LINES: Final = 50
MAX_GRADE_LINE_CHARS: Final = 500
"""Longer lines of a grade are cut. They may quote the answer, which has no limit."""


@dataclass(frozen=True, slots=True)
class Grade:
    """A grader's result for a trial."""

    score: float | None
    """From 0 to 1, or on the benchmark's scale; None if there is no score."""
    details: tuple[str, ...] = ()
    """The faults, one line each. Without a score, the first one says why."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Further figures by name, such as `security`."""


@dataclass(frozen=True, slots=True)
class GeneratedTrial:
    """A trial whose world is created, so that it can be played and graded."""

    trial: Trial
    grade: Callable[[], Grade]
    """Grades the trial at its end."""

    def score_at_end(self, trial_id: str) -> TrialScore:
        """Close the environment, and grade the trial.

        The score has the first lines of the grade, of which long ones are cut.
        """
        self.close()
        grade = self.grade()
        lines = []
        for line in grade.details[:MAX_GRADE_LINES]:
            lines.append(line[:MAX_GRADE_LINE_CHARS])
        unscored = ""
        if grade.score is None:
            unscored = lines[0] if lines else "its grader gave no score"
        return TrialScore(trial_id, grade.score, tuple(lines), grade.metrics, unscored)

    def close(self) -> None:
        """Close the environment to later calls, if it can be closed."""
        close = getattr(self.trial.environment, "close", None)
        if close is not None:
            close()
