"""The facts about a run that pages show: totals, trials, limits and statistics."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.journal_reader import Journal
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.pass_rates import PASSED
from controlplane.report.last_call import last_call
from controlplane.report.run_budgets import Budget, budgets_of
from controlplane.report.trial_facts import TrialFacts
from controlplane.score_groups import FamilyScore, scores_by_family, scores_by_task
from controlplane.score_statistics import Interval, mean_interval
from controlplane.terminal_text import one_line


@dataclass(frozen=True, slots=True)
class FamilyBar:
    """The mean score of a family of tasks, shown as a bar, and its figures as text."""

    name: str
    mean: float | None
    figures: str


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run on a page: its totals, its trials and statistics."""

    label: str
    """Its name on the page: the run's name or, without one, its id. Unique on the page."""
    path: Path
    """The path of its journal."""
    summary: RunSummary
    status: str
    """Why its figures may not be final; empty if the run finished."""
    trials: tuple[TrialFacts, ...]
    """Worst first."""
    interval: Interval | None
    """The mean score over its tasks, with its confidence interval; None without scores."""
    gates: tuple[GateEffect, ...]
    """What each gate, rule and check rejected, and how those trials ended."""
    last_calls: Mapping[str, str]
    """A short text for the latest call of each running trial, by trial id."""

    @property
    def families(self) -> tuple[FamilyScore, ...]:
        """The scores of each family of tasks, the worst first."""
        return scores_by_family(self.summary.trials.values())

    @property
    def family_bars(self) -> list[FamilyBar]:
        """A bar for each family of tasks, the worst first."""
        right = _right_by_family(self.summary)
        bars = []
        for family in self.families:
            figures = f"{right[family.name]} of {family.scored} right"
            if family.scored < family.trials:
                figures += f", {family.trials - family.scored} without a score"
            bars.append(FamilyBar(family.name, family.mean, figures))
        return bars

    @property
    def budgets(self) -> list[Budget]:
        """The limits of the run, with the amount used of each."""
        return budgets_of(self.summary)


def _right_by_family(summary: RunSummary) -> Counter[str]:
    """Return how many trials of each family have passed: `Counter({"letters": 3, "sums": 1})`."""
    counts = Counter[str]()
    for trial in summary.trials.values():
        if trial.own_score is not None and trial.own_score >= PASSED:
            counts[trial.family] += 1
    return counts


def run_facts(
    journal: Journal, number: int, taken: Container[str], *, is_running: bool
) -> RunFacts:
    """Return the facts about a journal's run.

    `number` is the run's index on the page, from 0. `taken` are the labels of the runs before it,
    since two runs may have the same name. `is_running`: a process still plays the run.
    """
    summary = journal.summary
    places = {trial_id: place for place, trial_id in enumerate(summary.trials, start=1)}
    trials = []
    for trial in summary.trials.worst_first:
        anchor = f"trial-{number + 1}-{places[trial.trial_id]}"
        trials.append(TrialFacts(anchor, number, trial))

    last_calls = {}
    for trial in summary.trials.running:
        last_calls[trial.trial_id] = last_call(journal.trials[trial.trial_id])

    return RunFacts(
        label=_label(journal, taken),
        path=journal.path,
        summary=summary,
        status=_status(summary, is_running=is_running),
        trials=tuple(trials),
        interval=score_interval(summary),
        gates=gate_effects(trial.summary for trial in trials),
        last_calls=last_calls,
    )


def score_interval(summary: RunSummary) -> Interval | None:
    """Return the mean score over the tasks of a run, with its confidence interval."""
    scores = scores_by_task(summary.trials.values())
    return mean_interval([fmean(own_scores) for own_scores in scores.values()])


def _label(journal: Journal, taken: Container[str]) -> str:
    """Return the name of a run or, without one, its id; with a number if the name is taken."""
    name = one_line(journal.opened.name) or one_line(journal.run)
    if name not in taken:
        return name
    for number in itertools.count(2):
        numbered = f"{name} ({number})"
        if numbered not in taken:
            return numbered
    raise AssertionError


def _status(summary: RunSummary, *, is_running: bool) -> str:
    """Return a note that the run is unfinished or its scores are not known; empty otherwise."""
    if is_running:
        return "The run is still in progress: these are its figures so far."
    if summary.process.closed != "finished":
        status = f"The run was {summary.process.closed or 'cut off'}"
        if summary.process.error:
            status += f": {one_line(summary.process.error)}"
        return f"{status}. {summary.trials.left} of its trials are unfinished."
    is_scored = summary.state == "evaluated" or len(summary.trials.scores) == len(
        summary.trials
    )
    if summary.submitted and not is_scored:
        return "The scores are not out yet."
    return ""
