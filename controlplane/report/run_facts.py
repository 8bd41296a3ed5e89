"""The facts about a run that pages show: totals, trials, limits, and commands to copy."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from controlplane.agent.events import CallEvent
from controlplane.configuration.config_file import run_argument
from controlplane.configuration.continuation import belongs_to_a_program
from controlplane.errors import invocation
from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.journal_reader import Journal, RecordedTrial
from controlplane.journal.journal_scan import trial_key
from controlplane.journal.line_parser import LineParser
from controlplane.journal.stored_texts import line_at
from controlplane.journal.totals.call_text import call_text
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.score_statistics import (
    PASSED,
    FamilyScore,
    Interval,
    mean_interval,
    scores_by_family,
    scores_by_task,
)
from controlplane.terminal_text import (
    cost_text,
    one_line,
    reasons_of,
    span_text,
    tokens_text,
)
from controlplane.view.next_commands import NextCommand
from controlplane.view.tables.run_totals import NO_MODELS
from controlplane.view.tables.trial_table import short_outcomes

# --- A trial ---


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """One trial on a page."""

    anchor: str
    """The anchor of its page: `trial-RUN-NUMBER`."""
    run: int
    """The index of its run in the report, from 0."""
    summary: TrialSummary

    @property
    def reasons(self) -> list[str]:
        """The reasons for its score: the grader's lines, the answer, and how the trial ended."""
        return [short_outcomes(line) for line in reasons_of(self.summary).lines]

    @property
    def faults(self) -> tuple[str, ...]:
        """The reasons by which failed trials are grouped.

        They do not include the answer, since trials with different answers may have the
        same fault.
        """
        reasons = reasons_of(self.summary)
        return (*reasons.grader, *reasons.ending)


def has_failed(trial: TrialFacts) -> bool:
    """Return True if a trial scored 0, or ended without a score and without an answer.

    A fallback, which the control plane submits, is not an answer. A trial that is still
    open, or whose score the benchmark still hides, has not failed. Neither has one with
    a score between 0 and 1, which may be the average of many plays.
    """
    summary = trial.summary
    if summary.own_score is not None:
        return summary.own_score <= 0
    return summary.is_over and summary.state != "answered"


# --- A run ---


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit of a run, with its amounts as texts such as `$1.20`."""

    name: str
    used: str
    limit: str
    remaining: str
    share: float
    """The share of the limit that is used, 0 to 1."""


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
        passed = Counter[str]()
        for trial in self.summary.trials.values():
            if trial.own_score is not None and trial.own_score >= PASSED:
                passed[trial.family] += 1
        bars = []
        for family in self.families:
            figures = f"{passed[family.name]} of {family.scored} right"
            if family.scored < family.trials:
                figures += f", {family.trials - family.scored} without a score"
            bars.append(FamilyBar(family.name, family.mean, figures))
        return bars

    @property
    def budgets(self) -> list[Budget]:
        """The limits of the run, with the amount used of each."""
        spent = self.summary.spent
        elapsed_s = self.summary.process.wall_ms / 1000
        budgets = []
        max_usd = _limit(self.summary, "run_cost")
        if max_usd is not None:
            budgets.append(_budget("run_cost", spent.known_usd, max_usd, cost_text))
        max_tokens = _limit(self.summary, "max_tokens_run")
        if max_tokens is not None:
            budgets.append(
                _budget("max_tokens_run", spent.tokens, max_tokens, _tokens_text)
            )
        max_s = _limit(self.summary, "run_time")
        if max_s is not None:
            budgets.append(_budget("run_time", elapsed_s, max_s, _seconds_text))
        return budgets


def _limit(summary: RunSummary, name: str) -> float | None:
    """Return the limit that a run's setting sets; None if it sets none."""
    assert summary.opened is not None
    limit = summary.opened.setting(name)
    if isinstance(limit, int | float) and limit > 0:
        return limit
    return None


def _budget(
    name: str, used: float, limit: float, amount_text: Callable[[float], str]
) -> Budget:
    """Return a limit. `amount_text` returns an amount with its unit."""
    return Budget(
        name=name,
        used=amount_text(used),
        limit=amount_text(limit),
        remaining=amount_text(max(limit - used, 0)),
        share=min(used / limit, 1.0),
    )


def _tokens_text(tokens: float) -> str:
    return tokens_text(int(tokens))


def _seconds_text(seconds: float) -> str:
    return span_text(seconds * 1000)


def run_facts(
    journal: Journal, number: int, taken: Container[str], *, is_running: bool
) -> RunFacts:
    """Return the facts about a journal's run.

    `number` is the run's index on the page, from 0. `taken` are the labels of the runs
    before it.
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


LINES_WITH_LAST_CALL: Final = 12
"""`last_call` searches this many of the last lines about a trial."""


def last_call(trial: RecordedTrial) -> str:
    """Return a short text for a trial's latest call; empty if its last lines contain no call."""
    journal = trial.journal
    # The places in the file at which the lines about this trial begin.
    places = journal.places.get(trial_key(trial.trial_id))
    if places is None:
        return ""
    for place in reversed(places[-LINES_WITH_LAST_CALL:]):
        # Ignore a damaged line here. The trial's own page shows the error.
        with contextlib.suppress(ValueError, KeyError):
            line = line_at(journal.file, place)
            # `with_calls=False`: the line of a whole step refers to the lines of its calls.
            # Leave them out, since only lines of single calls matter here.
            event = LineParser(journal.texts).event_of(line, with_calls=False)
            # An announced call has two lines. Take the first, from before it was sent.
            if isinstance(event, CallEvent) and not event.was_announced:
                return call_text(event)
    return ""


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


# --- Commands about failed trials ---


MOST_NAMED_TASKS: Final = 8
"""A command names at most this many tasks."""
KEPT_SETTINGS: Final = (
    "benchmark",
    "agent",
    "parts",
    "model",
    "base_url",
    "api",
    "reply_mode",
    "prompt",
    "hints",
)
"""Settings of a run that the command `improve` takes over."""


def commands_about(run: RunFacts, trials: Sequence[TrialFacts]) -> list[NextCommand]:
    """Return commands that the user can copy to examine or repeat some failed trials of a run."""
    argument = run_argument(run.path)
    judge = NextCommand(
        invocation("judge", argument), "judges all answers by today's gates"
    )
    if run.summary.opened is not None and belongs_to_a_program(
        run.summary.opened.benchmark
    ):
        return _in_one_line([judge])  # No command can play the tasks of a program.

    tasks = _task_ids(trials)
    rerun_options = []
    for task in tasks:
        rerun_options += ["--trials", task]
    rerun = invocation("rerun", argument, *rerun_options)
    commands = [NextCommand(rerun, "plays them again in the same worlds")]

    trials_with_steps = [trial.summary for trial in trials if trial.summary.step]
    if trials_with_steps:
        first = trials_with_steps[0]
        fork = fork_command(run.path, first, first.step)
        commands.append(NextCommand(fork, "plays the last step of the first one again"))

    commands.append(judge)
    improve_options = _improve_options(run.summary)
    if improve_options:
        improve = invocation("improve", *tasks, *improve_options)
        commands.append(NextCommand(improve, "looks for better prompts and hints"))
    return _in_one_line(commands)


def _in_one_line(commands: Sequence[NextCommand]) -> list[NextCommand]:
    """Return commands without line breaks and control characters, which names may contain."""
    return [
        NextCommand(one_line(command.line), command.purpose) for command in commands
    ]


def _task_ids(trials: Sequence[TrialFacts]) -> list[str]:
    """Return the ids of the trials' tasks, each once, at most `MOST_NAMED_TASKS`."""
    task_ids: dict[str, None] = {}
    for trial in trials:
        if trial.summary.task_id:
            task_ids[trial.summary.task_id] = None
    return list(task_ids)[:MOST_NAMED_TASKS]


def _improve_options(summary: RunSummary) -> list[str]:
    """Return the run's settings as options of `improve`; none if the run asked no real model."""
    assert summary.opened is not None
    settings = {}
    for setting in summary.opened.settings:
        if setting.source != "default":
            settings[setting.name] = setting.value
    model = str(settings.get("model") or "")
    # A file of scripts, the baseline and the recorded model cannot follow better prompts.
    if model in NO_MODELS or model.startswith("scripted:"):
        return []

    options = []
    for name in KEPT_SETTINGS:
        if settings.get(name):
            options += [f"--{name.replace('_', '-')}", str(settings[name])]
    benchmark_options = settings.get("set")
    if isinstance(benchmark_options, dict):
        for name, value in benchmark_options.items():
            options += ["--set", f"{name}={value}"]
    return [*options, "--with", model]


def fork_command(journal: Path, trial: TrialSummary, step: int) -> str:
    """Return the command that plays a trial again from a step, in one line.

    It does not work for tasks that are objects of a Python program.
    """
    return f"{fork_command_without_step(journal, trial)}{step}"


def fork_command_without_step(journal: Path, trial: TrialSummary) -> str:
    """Return the command `controlplane fork RUN --trial ID --step `, without the step's number."""
    run = run_argument(journal)
    command = invocation("fork", run, "--trial", trial.trial_id, "--step")
    return f"{one_line(command)} "
