"""The map of tasks and runs: the tries of each task in each run, coloured by score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from controlplane.report.run_facts import TrialFacts


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task, with a cell for each run: the trials of the task in that run."""

    task: str
    cells: tuple[tuple[TrialFacts, ...], ...]

    @property
    def pair(self) -> str:
        """The anchor (part of an address behind #) of its first trial in each run, side by side.

        Empty if there are not two runs, or one of them has no trial of the task.
        """
        if len(self.cells) != 2 or not all(self.cells):
            return ""
        first, second = self.cells
        return f"{first[0].anchor}~{second[0].anchor}"

    @property
    def differs(self) -> bool:
        """True if its tries scored differently or, without any score, ended differently."""
        scores = set()
        endings = set()
        for cell in self.cells:
            for trial in cell:
                summary = trial.summary
                if not summary.is_over:
                    continue
                endings.add(summary.outcome or summary.state)
                if summary.score is not None:
                    scores.add(summary.score)
        if scores:
            return len(scores) > 1
        return len(endings) > 1


def task_rows(trials_by_run: Sequence[Sequence[TrialFacts]]) -> list[TaskRow]:
    """Return a row for each task of any run, by name."""
    cells_by_task: dict[str, list[list[TrialFacts]]] = {}
    for run, trials in enumerate(trials_by_run):
        for trial in trials:
            task = trial.summary.task
            if task not in cells_by_task:
                cells_by_task[task] = [[] for _ in trials_by_run]
            cells_by_task[task][run].append(trial)
    rows = []
    for task, cells in sorted(cells_by_task.items()):
        rows.append(TaskRow(task, tuple(tuple(cell) for cell in cells)))
    return rows


Colour: TypeAlias = tuple[int, int, int]
