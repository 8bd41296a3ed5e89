"""The HTML page of one run, or of several side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

import re2

from controlplane.configuration.run_names import belongs_to_a_program, run_argument
from controlplane.errors import UsageError
from controlplane.facts.run_facts import NO_MODELS
from controlplane.gates.text_folding import encodable
from controlplane.journal.run_events import RunOpened
from controlplane.program_invocation import invocation
from controlplane.report.page_templates import PageFrame, template
from controlplane.report.shown_runs import ShownRun, ShownTrial, TaskRow, task_rows
from controlplane.report.trial_data import fork_command_without_step
from controlplane.run_comparison.comparing import compare_runs, compared_run
from controlplane.run_comparison.results import Comparison
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line
from controlplane.view.next_commands import NextCommand

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
_KEPT_SETTINGS: Final = (
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


def commands_about(run: ShownRun, trials: Sequence[ShownTrial]) -> list[NextCommand]:
    """Return commands that examine or repeat some failed trials of a run.

    They have no line breaks and control characters, which names may contain.
    """
    argument = run_argument(run.path)
    judge = NextCommand(
        one_line(invocation("judge", argument)), "judges all answers by today's gates"
    )
    if belongs_to_a_program(run.opened.benchmark):
        return [judge]  # No command can play the tasks of a program.

    task_ids = dict.fromkeys(trial.facts.task_id for trial in trials)
    tasks = [task for task in task_ids if task][:_MOST_NAMED_TASKS]
    rerun_options = []
    for task in tasks:
        rerun_options += ["--trials", task]
    rerun = one_line(invocation("rerun", argument, *rerun_options))
    commands = [NextCommand(rerun, "plays them again in the same worlds")]

    # The number of a trial's last step is 0 if it did none.
    with_steps = [trial.facts for trial in trials if trial.facts.steps]
    if with_steps:
        first = with_steps[0]
        fork = f"{fork_command_without_step(run.path, first.trial_id)}{first.steps}"
        commands.append(NextCommand(fork, "plays the last step of the first one again"))

    commands.append(judge)
    improve_options = _improve_options(run.opened)
    if improve_options:
        improve = one_line(invocation("improve", *tasks, *improve_options))
        commands.append(NextCommand(improve, "looks for better prompts and hints"))
    return commands


def _improve_options(opened: RunOpened) -> list[str]:
    """Return the run's settings as options of `improve`; none if the run asked no real model."""
    settings = {}
    for setting in opened.settings:
        if setting.source != "default":
            settings[setting.name] = setting.value
    model = str(settings.get("model") or "")
    # What answers without a real model cannot follow better prompts: the baseline and the
    # recorded model (`NO_MODELS`), and a file of scripts.
    if model in NO_MODELS or model.startswith("scripted:"):
        return []

    options = []
    for name in _KEPT_SETTINGS:
        if settings.get(name):
            options += [f"--{name.replace('_', '-')}", str(settings[name])]
    benchmark_options = settings.get("set")
    if isinstance(benchmark_options, dict):
        for name, value in benchmark_options.items():
            options += ["--set", f"{name}={value}"]
    # `--with` names the model that proposes better texts.
    return [*options, "--with", model]


# Groups failed trials by their cause in the grader's words, without the ids and numbers in them.


@dataclass(frozen=True, slots=True)
class _FailureGroup:
    """Failures whose causes are the same, apart from ids, numbers, paths and quotations."""

    title: str
    failures: tuple[ShownTrial, ...]
    trials_by_run: tuple[int, ...]


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
        title = kind
        if len(failures) == 1:
            title = failures[0].facts.faults[0]  # A single cause needs no ellipsis.
        counts = Counter(failure.run for failure in failures)
        trials_by_run = tuple(counts[run] for run in range(run_count))
        groups.append(_FailureGroup(title, tuple(failures), trials_by_run))
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
        first, second = self.runs
        try:
            return compare_runs(
                compared_run([first.path]),
                compared_run([second.path]),
            )
        except UsageError:  # They played different benchmarks or worlds.
            return None

    def commands(self, group: _FailureGroup) -> list[NextCommand]:
        """Return commands about the failures of a group, on the page of a single run."""
        return commands_about(self.runs[0], group.failures)

    def html(self) -> Iterator[str]:
        """Yield the HTML in pieces, so that a large page need not be in memory."""
        return template("report.html.j2").generate(page=self, frame=self.frame)

    def _all_trials(self) -> Iterator[ShownTrial]:
        return chain.from_iterable(run.trials for run in self.runs)


def page_title(runs: Sequence[ShownRun]) -> str:
    """Return the title of the page of these runs: `2 runs: base, fast · run report`."""
    names = [run.label for run in runs]
    if len(names) == 1:
        return f"{names[0]} · run report"
    return f"{len(names)} runs: {', '.join(names)} · run report"
