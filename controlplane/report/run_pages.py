"""The HTML page of one run, or of several side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

from controlplane.compared_run import run_with_reruns
from controlplane.errors import UsageError
from controlplane.gates.surrogates import encodable
from controlplane.report.page_templates import PageFrame, template
from controlplane.report.shown_runs import (
    ShownRun,
    ShownTrial,
    TaskRow,
    has_failed,
    task_rows,
)
from controlplane.run_comparison.comparing import compare_runs
from controlplane.run_comparison.results import Comparison
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line

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


# Groups failed trials by their cause in the grader's words, without the ids and numbers in them.

SILENT: Final = "the grader gave no reason"


@dataclass(frozen=True, slots=True)
class _GroupedFailure:
    """A failed trial with the exact words about it."""

    trial: ShownTrial
    cause: str
    """The grader's first remark, or why there is no answer."""
    further: tuple[str, ...]
    """Its other faults."""


@dataclass(frozen=True, slots=True)
class _FailureGroup:
    """Failures whose causes are the same, apart from ids, numbers, paths and quotations."""

    title: str
    failures: tuple[_GroupedFailure, ...]
    trials_by_run: tuple[int, ...]

    @property
    def trials(self) -> int:
        return len(self.failures)


def failure_groups(trials: Iterable[ShownTrial], run_count: int) -> list[_FailureGroup]:
    """Return the groups, the largest first. Each failed trial is in one: that of its cause.

    The trials belong to `run_count` runs.
    """
    failures_by_kind: dict[str, list[_GroupedFailure]] = {}
    for trial in trials:
        if not has_failed(trial):
            continue
        faults = [one_line(fault) for fault in trial.faults] or [SILENT]
        cause, *further = faults
        failure = _GroupedFailure(trial, cause, tuple(further))
        failures_by_kind.setdefault(_kind_of_fault(cause), []).append(failure)

    groups = []
    for kind, failures in failures_by_kind.items():
        title = kind
        if len(failures) == 1:
            title = failures[0].cause  # A single cause needs no ellipsis.
        counts = Counter(failure.trial.run for failure in failures)
        trials_by_run = tuple(counts[run] for run in range(run_count))
        groups.append(_FailureGroup(title, tuple(failures), trials_by_run))
    return sorted(groups, key=lambda group: (-group.trials, group.title))


@dataclass(frozen=True, slots=True)
class ShownTrials:
    """The rows of the table of trials."""

    rows: Sequence[ShownTrial]
    left_out: int = 0
    """The number of rows that did not fit on the page."""
    found: str = ""
    """The words that the user searched for; empty without a search."""


@dataclass(frozen=True, slots=True)
class _RunPage:
    """The content of the page of one run, or of several side by side."""

    frame: PageFrame
    runs: Sequence[ShownRun]
    trials: ShownTrials
    labels: Mapping[int, str]
    """The name of each run by its index; empty for a single one."""
    groups: Sequence[_FailureGroup]
    partly_right: int
    """The number of trials that scored between 0 and 1, such as the average of many plays.

    They have neither passed nor failed, and are in no group.
    """
    tasks: Sequence[TaskRow]
    """A row for each task, with its tries in all runs; empty for a single run."""
    comparison: Comparison | None


def run_page(
    runs: Sequence[ShownRun], frame: PageFrame, trials: ShownTrials
) -> _RunPage:
    """Return the content of the page of these runs."""
    all_trials: list[ShownTrial] = []
    for run in runs:
        all_trials += run.trials
    labels: dict[int, str] = {}
    tasks: list[TaskRow] = []
    if len(runs) > 1:
        labels = {index: run.label for index, run in enumerate(runs)}
        tasks = task_rows([run.trials for run in runs])
    return _RunPage(
        frame=frame,
        runs=runs,
        trials=trials,
        labels=labels,
        groups=failure_groups(all_trials, len(runs)),
        partly_right=sum(1 for trial in all_trials if _is_between(trial)),
        tasks=tasks,
        comparison=_comparison_of(runs),
    )


def _is_between(trial: ShownTrial) -> bool:
    """Return True if a trial scored between 0 and 1."""
    score = trial.summary.score
    return score is not None and 0 < score < 1


def page_title(runs: Sequence[ShownRun]) -> str:
    """Return the title of the page of these runs: `2 runs: base, fast · run report`."""
    names = [run.label for run in runs]
    if len(names) == 1:
        return f"{names[0]} · run report"
    return f"{len(names)} runs: {', '.join(names)} · run report"


def _comparison_of(runs: Sequence[ShownRun]) -> Comparison | None:
    """Return the comparison of two runs; None for other numbers of runs, or if it is impossible."""
    if len(runs) != 2:
        return None
    first, second = runs
    try:
        return compare_runs(
            run_with_reruns([(first.path, first.summary)]),
            run_with_reruns([(second.path, second.summary)]),
        )
    except UsageError:  # They played different benchmarks or worlds.
        return None


def run_page_html(page: _RunPage) -> str:
    """Return a page of runs as HTML."""
    return template("report.html.j2").render(page=page, frame=page.frame)


def run_page_pieces(page: _RunPage) -> Iterator[str]:
    """Yield the HTML of a page in pieces, so that a large page need not be in memory."""
    return template("report.html.j2").generate(page=page, frame=page.frame)
