"""The HTML page of one run, or of several side by side."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import re2

from controlplane.agent.events import CallEvent
from controlplane.configuration.run_names import (
    belongs_to_a_program,
    is_of_questions,
    run_argument,
)
from controlplane.errors import UsageError
from controlplane.facts.run_facts import RunDetails, RunFacts, run_details
from controlplane.facts.trial_facts import TrialFacts
from controlplane.gates.text_folding import encodable
from controlplane.journal.journal_reader import Journal
from controlplane.journal.line_parser import LineParser
from controlplane.journal.run_events import RunOpened
from controlplane.journal.stored_texts import line_at
from controlplane.journal.totals.trial_summary import RUNNING, call_text
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import (
    cost_text,
    count_text,
    span_text,
    tokens_text,
)
from controlplane.report.page_templates import PageFrame, template
from controlplane.report.trial_data import fork_command_without_step
from controlplane.run_comparison.comparing import compare_runs, compared_run
from controlplane.run_comparison.results import Comparison
from controlplane.sandbox.interface import bounds
from controlplane.score_statistics import FamilyScore, Interval
from controlplane.terminal_text import one_line
from controlplane.view.tables.run_table import NextCommand, objection_lines

# The latest call of a trial, for the page of a running run.

_LINES_WITH_LAST_CALL: Final = 12
"""`_last_call` searches this many of the last lines about a trial."""


def _last_call(trial: RecordedTrial) -> str:
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


# A run on a page: its totals, trials, limits and statistics.


class _Budget(NamedTuple):
    """One limit of a run, with the amount that is used."""

    name: str
    used: float
    limit: float
    text: Callable[[Any], str]
    """Returns an amount as a text, such as `$1.20`."""


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """One trial on a page."""

    anchor: str
    """The anchor of its page: `trial-RUN-NUMBER`."""
    run: int
    """The index of its run in the report, from 0."""
    facts: TrialFacts
    last_call: str = ""
    """A short text for its latest call if it is running."""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run on a page."""

    label: str
    """Its name on the page: the run's name or, without one, its id. Unique on the page."""
    details: RunDetails
    opened: RunOpened
    """The first event of its journal, which has its settings."""
    status: str
    """Why its figures may not be final; empty if the run finished."""
    trials: Sequence[ShownTrial]
    """Worst first."""
    interval: Interval | None
    """The mean score over its tasks, with its confidence interval, which may take time; None without
    scores."""
    left_out: int = 0
    """The number of its trials that never began and are not among these."""

    @property
    def facts(self) -> RunFacts:
        return self.details.facts

    @property
    def notices(self) -> tuple[str, ...]:
        """Its notices for the user."""
        if not self.left_out:
            return self.details.notices
        trials = count_text(self.left_out, "trial")
        return (*self.details.notices, f"{trials} that never began left out")

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
        facts = self.facts
        budgets = []
        for name, used, text in (
            ("run_cost", facts.known_cost_usd, cost_text),
            ("run_tokens", facts.tokens, tokens_text),
            ("run_time", facts.wall_ms / 1000, _seconds_text),
        ):
            limit = self.opened.setting(name)
            if isinstance(limit, int | float) and limit > 0:
                budgets.append(_Budget(name, used, limit, text))
        return budgets


def _seconds_text(seconds: float) -> str:
    return span_text(seconds * 1000)


def shown_run(
    journal: Journal, number: int, taken: Container[str], *, is_running: bool
) -> ShownRun:
    """Return the facts about a journal's run.

    `number` is the run's index on the page, from 0. `taken` are the labels of the runs before it,
    since two runs may have the same name. `is_running`: a process still plays the run.
    """
    details = run_details(journal.summary, journal.path)
    places = {trial_id: place for place, trial_id in enumerate(journal.trials, start=1)}
    trials = []
    for trial in details.worst_first:
        anchor = f"trial-{number + 1}-{places[trial.trial_id]}"
        last_call = ""
        if trial.state == RUNNING:
            last_call = _last_call(journal.trials[trial.trial_id])
        trials.append(ShownTrial(anchor, number, trial, last_call))
    return ShownRun(
        label=_label(details.facts, taken),
        details=details,
        opened=journal.opened,
        status=_status(details.facts, is_running=is_running),
        trials=trials,
        interval=details.interval,
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


def _status(facts: RunFacts, *, is_running: bool) -> str:
    """Return a note that the run is unfinished or its scores are not known; empty otherwise."""
    if is_running:
        return "The run is still in progress: these are its figures so far."
    if facts.ended != "finished":
        error = f": {one_line(facts.error)}" if facts.error else ""
        left = ""
        if facts.trials_left:
            verb = "is" if facts.trials_left == 1 else "are"
            left = f" {facts.trials_left} of its trials {verb} unfinished."
        return f"The run was {facts.ended}{error}.{left}"
    is_scored = facts.trials_scored == facts.trials_total
    if facts.submitted and facts.state != "evaluated" and not is_scored:
        return "The scores are not out yet."
    return ""


# The map of tasks and runs: the tries of each task in each run, coloured by score.


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task, with a cell for each run: the trials of the task in that run."""

    task: str
    cells: Sequence[Sequence[ShownTrial]]

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
        trials = [trial.facts for trial in itertools.chain.from_iterable(self.cells)]
        over = [trial for trial in trials if trial.is_over]
        scores = {trial.score for trial in over} - {None}
        endings = {trial.outcome or trial.state for trial in over}
        return len(scores or endings) > 1


def task_rows(trials_by_run: Sequence[Sequence[ShownTrial]]) -> list[TaskRow]:
    """Return a row for each task of any run, by name."""
    cells_by_task: dict[str, list[list[ShownTrial]]] = {}
    for run, trials in enumerate(trials_by_run):
        for trial in trials:
            empty: list[list[ShownTrial]] = [[] for _ in trials_by_run]
            cells_by_task.setdefault(trial.facts.task, empty)[run].append(trial)
    return [TaskRow(task, cells) for task, cells in sorted(cells_by_task.items())]


# The kind of a fault: a grader's remark without what varies between trials.
#
# `missing '/loans/l-17.json' (3 of 5)` and `missing '/loans/l-2.json' (1 of 4)` are of one kind:
# `missing … (… of …)`. A report groups the failures of a run by it.

_QUOTED: Final = r"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]"""
"""A quotation, or a list in brackets: `'note b7'`, `[1, 2]`."""
_PATH: Final = (
    r"/(?:"
    r"[^\s,;:)]"  # a character of a name
    r"|[ ][^,;:/]*[^\s,;:/]/"  # a space, and the rest of the folder's name up to its slash
    r")+"
)
"""A path. A space only belongs to it if the folder's slash follows.

`/docs/a b/c.md` is one path, with ` b/` by the second branch; `/docs/a is old` has the
path `/docs/a`.
"""
_LETTER: Final = r"\pL\pM\pN_"
_NUMBER: Final = rf"[-+]?\d[{_LETTER}.,:%-]*"
"""A number with what touches it: `-3.5%`, `12:40`, `3rd`."""
_WORD: Final = rf"[{_LETTER}.]*[{_LETTER}]/*|\.+/*"
"""A word, with the slashes behind it, so that `/or` in `and/or` is not taken for a path."""
_VARYING_OR_WORD: Final = re2.compile(rf"{_QUOTED}|{_PATH}|{_NUMBER}|(?P<word>{_WORD})")
_REPEATED: Final = re2.compile(r"…(?:[\s,;]*(?:and )?…)+")
"""Several ellipses that only commas or `and` set apart: `…, … and …`."""


@lru_cache(maxsize=50_000)  # A page of a growing run is made again and again.
def _kind_of_fault(words: str) -> str:
    """Return the grader's words with an ellipsis for everything that varies between trials.

    `note 'b7' has 3 lines` becomes `note … has … lines`.
    """
    shortened: str = _VARYING_OR_WORD.sub(_word_or_ellipsis, encodable(words))
    kind: str = _REPEATED.sub("…", shortened)
    if len(kind) > bounds.SHOWN_TITLE_CHARS:
        return kind[: bounds.SHOWN_TITLE_CHARS - 1] + "…"
    return kind


def _word_or_ellipsis(match: re2._Match[str]) -> str:
    return match["word"] or "…"


# The commands that the user can copy to examine or repeat failed trials.

_MOST_NAMED_TASKS: Final = 8
"""A command names at most this many tasks."""


def commands_about(run: ShownRun, trials: Sequence[ShownTrial]) -> list[NextCommand]:
    """Return commands that examine or repeat some failed trials of a run.

    They have no line breaks and control characters, which names may contain.
    """
    argument = run_argument(Path(run.facts.journal))
    judge = NextCommand(
        one_line(invocation("judge", argument)), "judges all answers by today's gates"
    )
    if belongs_to_a_program(run.opened.benchmark):
        return [judge]  # No command can play the tasks of a program.

    rerun_options = []
    task_ids = dict.fromkeys(
        trial.facts.task_id for trial in trials if trial.facts.task_id
    )
    for task in list(task_ids)[:_MOST_NAMED_TASKS]:
        rerun_options += ["--trials", task]
    rerun = one_line(invocation("rerun", argument, *rerun_options))
    commands = [NextCommand(rerun, "plays them again in the same worlds")]

    # The number of a trial's last step is 0 if it did none.
    with_steps = [trial.facts for trial in trials if trial.facts.steps]
    for first in with_steps[:1]:
        fork = f"{fork_command_without_step(Path(run.facts.journal), first.trial_id)}{first.steps}"
        commands.append(NextCommand(fork, "plays the last step of the first one again"))

    return [*commands, judge]


# Groups failed trials by their cause in the grader's words, without the ids and numbers in them.


@dataclass(frozen=True, slots=True)
class _FailureGroup:
    """Failures whose causes are the same, apart from ids, numbers, paths and quotations."""

    title: str
    failures: Sequence[ShownTrial]
    trials_by_run: Sequence[int]


def failure_groups(trials: Iterable[ShownTrial], run_count: int) -> list[_FailureGroup]:
    """Return the groups, the largest first. Each failed trial is in one: that of its cause.

    The trials belong to `run_count` runs.
    """
    failures_by_kind: dict[str, list[ShownTrial]] = {}
    for trial in trials:
        if trial.facts.has_failed:
            kind = _kind_of_fault(trial.facts.faults[0])
            failures_by_kind.setdefault(kind, []).append(trial)

    groups = []
    for kind, failures in failures_by_kind.items():
        # A single cause needs no ellipsis.
        title = kind if len(failures) > 1 else failures[0].facts.faults[0]
        counts = Counter(failure.run for failure in failures)
        trials_by_run = [counts[run] for run in range(run_count)]
        groups.append(_FailureGroup(title, failures, trials_by_run))
    return sorted(groups, key=lambda group: (-len(group.failures), group.title))


@dataclass(frozen=True, slots=True)
class RunPage:
    """The content of the page of one run, or of several side by side."""

    frame: PageFrame
    runs: Sequence[ShownRun]
    rows: Sequence[ShownTrial]
    """The rows of the table of trials."""
    left_out: int = 0
    """The number of rows that did not fit on the page."""
    found: str = ""
    """The words that the user searched for; empty without a search."""

    @property
    def labels(self) -> dict[int, str]:
        """The name of each run by its index; empty for a single one."""
        if len(self.runs) == 1:
            return {}
        return {index: run.label for index, run in enumerate(self.runs)}

    @property
    def groups(self) -> list[_FailureGroup]:
        """The failed trials by their causes."""
        return failure_groups(self._all_trials(), len(self.runs))

    @property
    def partly_right(self) -> int:
        """The number of trials that have neither passed nor failed, and are in no group."""
        return sum(trial.facts.is_partly_right for trial in self._all_trials())

    @property
    def tasks(self) -> list[TaskRow]:
        """A row for each task, with its tries in all runs."""
        return task_rows([run.trials for run in self.runs])

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of two runs; None for other numbers of runs, or if it is impossible."""
        if len(self.runs) != 2:
            return None
        first, second = (Path(run.facts.journal) for run in self.runs)
        try:
            return compare_runs(compared_run([first]), compared_run([second]))
        except UsageError:  # They played different benchmarks or worlds.
            return None

    def commands(self, group: _FailureGroup) -> list[NextCommand]:
        """Return commands about the failures of a group, on the page of a single run."""
        return commands_about(self.runs[0], group.failures)

    def html(self) -> Iterator[str]:
        """Yield the HTML in pieces, so that a large page need not be in memory."""
        return template("report.html.j2").generate(page=self, frame=self.frame)

    def _all_trials(self) -> Iterator[ShownTrial]:
        return itertools.chain.from_iterable(run.trials for run in self.runs)


def page_title(runs: Sequence[ShownRun]) -> str:
    """Return the title of the page of these runs: `2 runs: base, fast · run report`."""
    names = [run.label for run in runs]
    if len(names) == 1:
        return f"{names[0]} · run report"
    return f"{len(names)} runs: {', '.join(names)} · run report"
