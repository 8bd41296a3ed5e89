"""The map of tasks and runs: the tries of each task in each run, coloured by score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.report.trial_facts import TrialFacts


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


# --- Colours and signs of scores ---


Colour: TypeAlias = tuple[int, int, int]
RED: Final = (220, 38, 38)
AMBER: Final = (245, 158, 11)
GREEN: Final = (22, 163, 74)
GREY: Final = "#f3f4f6"


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A score as text and colour."""

    text: str
    background: str


def heat_cell(score: float | None) -> HeatCell:
    """Return the cell of a score: red up to 0, amber at a half, green from 1, grey without one."""
    if score is None:
        return HeatCell("n/a", GREY)
    clamped = min(max(score, 0.0), 1.0)
    if clamped <= 0.5:
        colour = _mixed(RED, AMBER, clamped * 2)
    else:
        colour = _mixed(AMBER, GREEN, clamped * 2 - 1)
    red, green, blue = colour
    return HeatCell(f"{score:g}", f"#{red:02x}{green:02x}{blue:02x}")


def _mixed(low: Colour, high: Colour, share: float) -> Colour:
    """Return a colour between two, `share` of the way from the first to the second."""
    red = round(low[0] + (high[0] - low[0]) * share)
    green = round(low[1] + (high[1] - low[1]) * share)
    blue = round(low[2] + (high[2] - low[2]) * share)
    return red, green, blue


def score_class(score: float | None) -> str:
    """Return the CSS class of a score's cell: `s0` to `s5`, or `sealed` without a score."""
    if score is None:
        return "sealed"
    if score >= 1:
        return "s5"
    if score <= 0:
        return "s0"
    quarter = int(score * 4) + 1
    return f"s{min(quarter, 4)}"


def score_mark(score: float | None) -> str:
    """Return the sign that shows a score's class without colour."""
    if score is None:
        return "–"
    if score >= 1:
        return "✓"
    if score <= 0:
        return "✗"
    return "◐"
