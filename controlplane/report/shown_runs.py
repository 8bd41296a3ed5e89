"""The runs of a page: totals, trials, limits and statistics of each, and the map of their tasks."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.agent.events import CallEvent
from controlplane.configuration.run_names import is_of_questions
from controlplane.facts.run_facts import (
    RunFacts,
    run_facts,
    score_interval,
)
from controlplane.facts.trial_facts import TrialFacts, trial_facts
from controlplane.journal.journal_reader import Journal
from controlplane.journal.line_parser import LineParser
from controlplane.journal.run_events import RunOpened
from controlplane.journal.stored_texts import line_at
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import call_text
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.quantity_texts import cost_text, span_text, tokens_text
from controlplane.rejection_counts import RejectionCounts, rejection_counts
from controlplane.score_statistics import FamilyScore, Interval
from controlplane.terminal_text import one_line
from controlplane.view.tables.run_totals import objection_lines

# The latest call of a trial, for the page of a running run.

_LINES_WITH_LAST_CALL: Final = 12
"""`last_call` searches this many of the last lines about a trial."""


def last_call(trial: RecordedTrial) -> str:
    """Return a short text for a trial's latest call; empty if its last lines contain no call."""
    journal = trial.journal
    # The bytes of the file at which the lines about this trial begin.
    places = journal.places_of(trial.trial_id)
    for place in reversed(places[-_LINES_WITH_LAST_CALL:]):
        # Ignore a damaged line here. The trial's own page shows the error.
        with contextlib.suppress(ValueError, KeyError):
            line = line_at(journal.file, place)
            # `with_calls=False`: the line of a whole step refers to the lines of its calls.
            # Leave them out, since only lines of single calls matter here.
            event = LineParser(journal.texts).event_of(line, with_calls=False)
            # A call that may change something has two lines: one that announces it, before
            # it is sent, and one with its outcome, which is ignored here. A call that only
            # reads has one line.
            if isinstance(event, CallEvent) and not event.was_announced:
                return call_text(event)
    return ""


@dataclass(frozen=True, slots=True)
class _Budget:
    """One limit of a run, with its amounts as texts such as `$1.20`."""

    name: str
    used: str
    limit: str
    remaining: str
    share: float
    """The share of the limit that is used, 0 to 1."""


def _tokens_text(tokens: float) -> str:
    return tokens_text(int(tokens))


def _seconds_text(seconds: float) -> str:
    return span_text(seconds * 1000)


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """One trial on a page."""

    anchor: str
    """The anchor of its page: `trial-RUN-NUMBER`."""
    run: int
    """The index of its run in the report, from 0."""
    facts: TrialFacts


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run on a page: its totals, its trials and statistics."""

    label: str
    """Its name on the page: the run's name or, without one, its id. Unique on the page."""
    path: Path
    """The path of its journal."""
    facts: RunFacts
    """Its totals."""
    summary: RunSummary
    """What its journal says, for the comparison with another run."""
    notices: tuple[str, ...]
    opened: RunOpened
    """The first event of its journal, which has its settings."""
    status: str
    """Why its figures may not be final; empty if the run finished."""
    trials: tuple[ShownTrial, ...]
    """Worst first."""
    interval: Interval | None
    """The mean score over its tasks, with its confidence interval; None without scores."""
    gates: tuple[RejectionCounts, ...]
    """What each gate, rule and check rejected, and how those trials ended."""
    last_calls: Mapping[str, str]
    """A short text for the latest call of each running trial, by trial id."""

    @property
    def is_question(self) -> bool:
        """True if it is a question to files, whose answer stands on the page."""
        return is_of_questions(self.opened.benchmark) and len(self.trials) == 1

    @property
    def objections(self) -> list[str]:
        """Lines on the objections that answers were sent over, and on calls that were held."""
        return objection_lines(self.facts)

    @property
    def families(self) -> list[FamilyScore]:
        """The families of tasks, the worst first.

        One with a single trial is left out: the table of trials shows its score. So is
        the only family of a run, whose mean is that of the run.
        """
        families = self.facts.family_scores
        if len(families) == 1:
            return []
        return [family for family in families if family.trials > 1]

    @property
    def budgets(self) -> list[_Budget]:
        """The limits of the run that its settings set, with the amount used of each."""
        wall_s = self.facts.wall_ms / 1000
        amounts: tuple[tuple[str, float, Callable[[float], str]], ...] = (
            ("run_cost", self.facts.known_cost_usd, cost_text),
            ("run_tokens", self.facts.tokens, _tokens_text),
            ("run_time", wall_s, _seconds_text),
        )
        budgets = []
        for name, used, text_of in amounts:
            limit = self.opened.setting(name)
            if not isinstance(limit, int | float) or limit <= 0:
                continue
            budget = _Budget(
                name=name,
                used=text_of(used),
                limit=text_of(limit),
                remaining=text_of(max(limit - used, 0)),
                share=min(used / limit, 1.0),
            )
            budgets.append(budget)
        return budgets


def shown_run(
    journal: Journal, number: int, taken: Container[str], *, is_running: bool
) -> ShownRun:
    """Return the facts about a journal's run.

    `number` is the run's index on the page, from 0. `taken` are the labels of the runs before it,
    since two runs may have the same name. `is_running`: a process still plays the run.
    """
    summary = journal.summary
    places = {trial_id: place for place, trial_id in enumerate(summary.trials, start=1)}
    trials = []
    for trial in summary.trials.worst_first:
        anchor = f"trial-{number + 1}-{places[trial.trial_id]}"
        trials.append(ShownTrial(anchor, number, trial_facts(trial)))

    last_calls = {}
    for trial in summary.trials.running:
        last_calls[trial.trial_id] = last_call(journal.trials[trial.trial_id])

    facts = run_facts(summary, journal.path)
    return ShownRun(
        label=_label(facts, taken),
        path=journal.path,
        facts=facts,
        summary=summary,
        notices=tuple(summary.notices),
        opened=journal.opened,
        status=_status(summary, is_running=is_running),
        trials=tuple(trials),
        interval=score_interval(summary),
        gates=rejection_counts(summary.trials.values()),
        last_calls=last_calls,
    )


def _label(facts: RunFacts, taken: Container[str]) -> str:
    """Return the name of a run: of a question its text, of another its own name or its id.

    If the name is taken, it gets a number.
    """
    name = ""
    if is_of_questions(facts.benchmark):
        name = one_line(facts.question)
    name = name or one_line(facts.name) or one_line(facts.run)
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


# The map of tasks and runs: the tries of each task in each run, coloured by score.


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task, with a cell for each run: the trials of the task in that run."""

    task: str
    cells: tuple[tuple[ShownTrial, ...], ...]

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
                facts = trial.facts
                if not facts.is_over:
                    continue
                endings.add(facts.outcome or facts.state)
                if facts.score is not None:
                    scores.add(facts.score)
        if scores:
            return len(scores) > 1
        return len(endings) > 1


def task_rows(trials_by_run: Sequence[Sequence[ShownTrial]]) -> list[TaskRow]:
    """Return a row for each task of any run, by name."""
    cells_by_task: dict[str, list[list[ShownTrial]]] = {}
    for run, trials in enumerate(trials_by_run):
        for trial in trials:
            task = trial.facts.task
            if task not in cells_by_task:
                cells_by_task[task] = [[] for _ in trials_by_run]
            cells_by_task[task][run].append(trial)
    rows = []
    for task, cells in sorted(cells_by_task.items()):
        rows.append(TaskRow(task, tuple(tuple(cell) for cell in cells)))
    return rows
