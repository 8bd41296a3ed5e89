"""Figures of a report: mean tokens and time by step, and the heat map of tasks and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controlplane.journal.run_summary import TrialSummary

if TYPE_CHECKING:
    from controlplane.report.run_facts import StepCost, TrialFacts


@dataclass(frozen=True, slots=True)
class StepMeans:
    """Mean tokens and time of a step, over the trials that reached it."""

    step: int
    trials: int
    fresh_tokens: float
    """Prompt tokens that no cache held."""
    cached_tokens: float
    completion_tokens: float
    model_s: float
    script_s: float

    @property
    def tokens(self) -> float:
        """Tokens of requests and replies."""
        return self.fresh_tokens + self.cached_tokens + self.completion_tokens

    @property
    def seconds(self) -> float:
        """Time of the model and of scripts."""
        return self.model_s + self.script_s


def step_means(trials: Iterable[TrialFacts]) -> list[StepMeans]:
    """Return the means of each step, in order."""
    by_step: dict[int, list[StepCost]] = {}
    for trial in trials:
        for cost in trial.costs:
            by_step.setdefault(cost.step, []).append(cost)
    return [_means(step, by_step[step]) for step in sorted(by_step)]


def _means(step: int, costs: Sequence[StepCost]) -> StepMeans:
    def mean(of: Callable[[StepCost], float]) -> float:
        return sum(map(of, costs)) / len(costs)

    return StepMeans(
        step=step,
        trials=len(costs),
        fresh_tokens=mean(lambda each: max(each.prompt_tokens - each.cached_tokens, 0)),
        cached_tokens=mean(lambda each: each.cached_tokens),
        completion_tokens=mean(lambda each: each.completion_tokens),
        model_s=mean(lambda each: each.model_ms / 1000),
        script_s=mean(lambda each: each.script_ms / 1000),
    )


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
    mixed = (round(a + (b - a) * share) for a, b in zip(_channels(low), _channels(high), strict=True))
    return HeatCell(f"{score:g}", "#" + "".join(f"{each:02x}" for each in mixed))


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task: its tries by run, and whether they differ."""

    task: str
    cells: tuple[tuple[TrialFacts, ...], ...]

    @property
    def is_sealed(self) -> bool:
        """Whether a try is over, and none has a score."""
        tries = self._tries
        return any(trial.is_over for trial in tries) and all(trial.score is None for trial in tries)

    @property
    def blinks(self) -> bool:
        """Whether tries of it scored differently; where scores are sealed, whether they ended differently."""
        if self.is_sealed:
            return len({trial.outcome or trial.state for trial in self._tries if trial.is_over}) > 1
        return len({trial.score for trial in self._tries if trial.score is not None}) > 1

    @property
    def agrees(self) -> bool:
        """Whether scores are sealed and several tries ended alike."""
        return self.is_sealed and not self.blinks and sum(trial.is_over for trial in self._tries) > 1

    @property
    def _tries(self) -> list[TrialSummary]:
        return [each.summary for cell in self.cells for each in cell]


def task_rows(trials_by_run: Sequence[Sequence[TrialFacts]]) -> list[TaskRow]:
    """Return a row for each task that any run has, by name."""
    cells: dict[str, list[list[TrialFacts]]] = {}
    for run, trials in enumerate(trials_by_run):
        for trial in trials:
            name = trial.summary.task_id or trial.summary.trial_id
            cells.setdefault(name, [[] for _ in trials_by_run])[run].append(trial)
    return [TaskRow(task, tuple(map(tuple, cells[task]))) for task in sorted(cells)]
