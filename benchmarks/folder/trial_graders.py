"""Grades a trial by all graders of its task: the expected end, its grade.py and its rubric.

A task may have one of them or several. The trial gets the lowest of their scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controlplane import BenchmarkContext
from controlplane.benchmarks.folder.expected_grader import expected_grade
from controlplane.benchmarks.folder.rubric_grader import rubric_grade
from controlplane.benchmarks.folder.script_grader import script_grade
from controlplane.benchmarks.folder.task_folder import FolderTask
from controlplane.local_benchmark.expected_end import NO_ANSWER
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.local_benchmark.local_environment import (
    LocalEnvironment,
    SubmittedAnswer,
)
from controlplane.sandbox import ForkServer


@dataclass(frozen=True, slots=True)
class TrialGraders:
    """What graders need."""

    server: ForkServer
    """Starts the process in which a task's grade.py runs."""
    context: BenchmarkContext
    """Gives the model that grades by a rubric."""

    def grade(self, task: FolderTask, environment: LocalEnvironment) -> Grade:
        """Return the grade of a trial: the lowest that any of its task's graders gives.

        Each task has at least one of them. If one gives no score, the trial has none. Raises
        `BenchmarkError`.
        """
        submission = environment.submission
        if submission is None:
            return Grade(0.0, (NO_ANSWER,))
        grades = list(self._grades(task, submission, environment))
        # The reason of a grader that gives no score comes first.
        grades.sort(key=lambda grade: grade.score is not None)
        scores = [grade.score for grade in grades if grade.score is not None]
        score = min(scores) if len(scores) == len(grades) else None
        details: list[str] = []
        metrics: dict[str, float] = {}
        for grade in grades:
            details += grade.details
            metrics.update(grade.metrics)
        return Grade(score, tuple(details), metrics)

    def _grades(
        self,
        task: FolderTask,
        submission: SubmittedAnswer,
        environment: LocalEnvironment,
    ) -> Iterator[Grade]:
        """Yield the grade of each of the task's graders."""
        changes = environment.changes
        if task.expectation:
            yield expected_grade(task, environment)
        if task.grader:
            yield script_grade(task.grader, submission, changes, self.server)
        rubric = task.file.rubric
        if rubric:
            model = self.context.model("grade")
            instruction = task.file.instruction.strip()
            yield rubric_grade(model, rubric, instruction, submission, changes)
