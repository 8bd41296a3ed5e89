"""The heat map of several runs: a row a task, a column a run, each cell the tries of that task in that run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.report.reported_trial import TrialFacts


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task: its tries by run, and whether they differ."""

    task: str
    cells: tuple[tuple[TrialFacts, ...], ...]

    @property
    def blinks(self) -> bool:
        """Whether tries of it scored differently; where scores are sealed, whether they ended differently."""
        tries = [each.summary for cell in self.cells for each in cell]
        scores = {each.score for each in tries if each.score is not None}
        if scores:
            return len(scores) > 1
        return len({each.outcome or each.state for each in tries if each.is_over}) > 1


def task_rows(trials_by_run: Sequence[Sequence[TrialFacts]]) -> list[TaskRow]:
    """Return a row for each task that any run has, by name."""
    cells: dict[str, list[list[TrialFacts]]] = {}
    for run, trials in enumerate(trials_by_run):
        for each in trials:
            name = each.summary.task_id or each.summary.trial_id
            cells.setdefault(name, [[] for _ in trials_by_run])[run].append(each)
    return [TaskRow(task, tuple(map(tuple, cells[task]))) for task in sorted(cells)]
