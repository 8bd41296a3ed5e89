"""The heat map of several runs: a row a task, a column a run, each cell the tries of that task in that run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.journal.run_summary import TrialSummary
from controlplane.report.reported_trial import TrialFacts

RED, AMBER, GREEN, GREY = "#dc2626", "#f59e0b", "#16a34a", "#f3f4f6"


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A score as text and as a colour: red at 0, amber at a half, green at 1, grey without one."""

    text: str
    background: str


def heat_cell(score: float | None) -> HeatCell:
    """Return the cell of a score, which counts as 0 below it and as 1 above."""
    if score is None:
        return HeatCell("n/a", GREY)
    held = min(max(score, 0.0), 1.0)
    low, high, share = (RED, AMBER, held * 2) if held <= 0.5 else (AMBER, GREEN, held * 2 - 1)
    mixed = (round(a + (b - a) * share) for a, b in zip(_parts(low), _parts(high), strict=True))
    return HeatCell(f"{score:g}", "#" + "".join(f"{each:02x}" for each in mixed))


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task: its tries by run, and whether they differ."""

    task: str
    cells: tuple[tuple[TrialFacts, ...], ...]

    @property
    def is_sealed(self) -> bool:
        """Whether no try of it has a score, though one is over."""
        tries = self._tries
        return any(each.is_over for each in tries) and all(each.score is None for each in tries)

    @property
    def blinks(self) -> bool:
        """Whether tries of it scored differently; where scores are sealed, whether they ended differently."""
        if self.is_sealed:
            return len({each.outcome or each.state for each in self._tries if each.is_over}) > 1
        return len({each.score for each in self._tries if each.score is not None}) > 1

    @property
    def agrees(self) -> bool:
        """Whether scores are sealed and several tries ended alike."""
        return self.is_sealed and not self.blinks and sum(each.is_over for each in self._tries) > 1

    @property
    def _tries(self) -> list[TrialSummary]:
        return [each.summary for cell in self.cells for each in cell]


def task_rows(trials_by_run: Sequence[Sequence[TrialFacts]]) -> list[TaskRow]:
    """Return a row for each task that any run has, by name."""
    cells: dict[str, list[list[TrialFacts]]] = {}
    for run, trials in enumerate(trials_by_run):
        for each in trials:
            name = each.summary.task_id or each.summary.trial_id
            cells.setdefault(name, [[] for _ in trials_by_run])[run].append(each)
    return [TaskRow(task, tuple(map(tuple, cells[task]))) for task in sorted(cells)]
