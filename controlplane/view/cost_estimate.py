"""Estimates the cost of a run from earlier trials of its tasks with the same model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_file import newest_first
from controlplane.journal.journal_index import glance_at, opening_of
from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.view.display_text import cost_text, count_text, tokens_text

MOST_LOOKED_AT: Final = 200
"""Most journals of the folder whose beginnings are read, the newest first."""
MOST_READ: Final = 5
"""Most journals of the same benchmark and model to read for the tasks."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Expected tokens and cost of a run's trials."""

    trials: int
    known_trials: int
    """Trials whose tasks were played before."""
    runs: int
    """Earlier runs that the estimate uses."""
    tokens: int | None
    """Tokens of the known trials; None without known trials."""
    cost_usd: float | None
    """USD of the known trials; None without known trials, or if a price is unknown."""


def estimate_cost(folder: Path, tasks: Sequence[str], *, benchmark: str, model: str) -> CostEstimate:
    """Return the expected cost of one trial of each of `tasks`, from the newest journals of a folder.

    A trial is expected to cost the mean of its task's answered trials, or of its ended trials if none was answered.
    """
    wanted = Counter(tasks)
    history: dict[str, list[TrialSummary]] = {task: [] for task in wanted}
    runs = 0
    for summary in _earlier_runs(folder, benchmark, model):
        is_used = False
        for trial in summary.trials.values():
            if trial.is_over and not trial.out_of_budget and trial.tokens and trial.task_id in wanted:
                history[trial.task_id].append(trial)
                is_used = True
        runs += is_used
        if runs == MOST_READ or all(_answered(history[task]) for task in wanted):
            break
    # A limit may have cut short a trial without an answer.
    history = {task: _answered(trials) or trials for task, trials in history.items() if trials}
    if not history:
        return CostEstimate(len(tasks), 0, 0, None, None)
    tokens = sum(wanted[task] * fmean(trial.tokens for trial in trials) for task, trials in history.items())
    cost_usd = sum(wanted[task] * fmean(trial.spent.known_usd for trial in trials) for task, trials in history.items())
    is_priced = not any(trial.spent.unpriced for trials in history.values() for trial in trials)
    known_trials = sum(wanted[task] for task in history)
    return CostEstimate(len(tasks), known_trials, runs, round(tokens), cost_usd if is_priced else None)


def _answered(trials: Iterable[TrialSummary]) -> list[TrialSummary]:
    return [trial for trial in trials if trial.state == "answered"]


def _earlier_runs(folder: Path, benchmark: str, model: str) -> Iterator[RunSummary]:
    for path in newest_first(folder)[:MOST_LOOKED_AT]:
        opened = opening_of(path)
        is_fork = opened is not None and opened.parent is not None and opened.parent.how == "fork"
        if opened is None or is_fork or (opened.benchmark, opened.model) != (benchmark, model):
            continue
        try:
            yield glance_at(path)
        except ControlPlaneError:
            continue  # damaged journals are skipped


def estimate_text(estimate: CostEstimate, run_cost: float | None) -> str:
    """Return the estimate in one line. `run_cost` is the cost limit of the run in USD; None for no limit."""
    if estimate.tokens is None:
        return "estimate  unknown: no journal here has trials of these tasks with this model"
    cost = "cost unknown" if estimate.cost_usd is None else cost_text(estimate.cost_usd)
    of = "" if estimate.known_trials == estimate.trials else f"{estimate.known_trials} of "
    text = (
        f"estimate  about {tokens_text(estimate.tokens)}, {cost}, for {of}{count_text(estimate.trials, 'trial')}, "
        f"by {count_text(estimate.runs, 'earlier run')}"
    )
    unknown = estimate.trials - estimate.known_trials
    text += f"; unknown for {count_text(unknown, 'trial')}" if unknown else ""
    if run_cost is not None and estimate.cost_usd is not None and estimate.cost_usd > run_cost:
        text += f"; that is more than --run-cost {run_cost:g}"
    return text
