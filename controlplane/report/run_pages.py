"""The HTML page of one run, or of several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from controlplane.compared_run import run_with_reruns
from controlplane.errors import UsageError
from controlplane.report.failure_groups import FailureGroup, failure_groups
from controlplane.report.page_frame import PageFrame
from controlplane.report.page_templates import template
from controlplane.report.run_facts import RunFacts
from controlplane.report.task_map import TaskRow, task_rows
from controlplane.report.trial_facts import TrialFacts
from controlplane.run_comparison.comparing import compare_runs
from controlplane.run_comparison.results import Comparison


@dataclass(frozen=True, slots=True)
class ShownTrials:
    """The rows of the table of trials."""

    rows: Sequence[TrialFacts]
    left_out: int = 0
    """The number of rows that did not fit on the page."""
    found: str = ""
    """The words that the user searched for; empty without a search."""


@dataclass(frozen=True, slots=True)
class RunPage:
    """The content of the page of one run, or of several side by side."""

    frame: PageFrame
    runs: Sequence[RunFacts]
    trials: ShownTrials
    labels: Mapping[int, str]
    """The name of each run by its index; empty for a single one."""
    groups: Sequence[FailureGroup]
    partly_right: int
    """The number of trials that scored between 0 and 1, such as the average of many plays.

    They have neither passed nor failed, and are in no group.
    """
    tasks: Sequence[TaskRow]
    """A row for each task, with its tries in all runs; empty for a single run."""
    comparison: Comparison | None


def run_page(
    runs: Sequence[RunFacts], frame: PageFrame, trials: ShownTrials
) -> RunPage:
    """Return the content of the page of these runs."""
    all_trials: list[TrialFacts] = []
    for run in runs:
        all_trials += run.trials
    labels: dict[int, str] = {}
    tasks: list[TaskRow] = []
    if len(runs) > 1:
        labels = {index: run.label for index, run in enumerate(runs)}
        tasks = task_rows([run.trials for run in runs])
    return RunPage(
        frame=frame,
        runs=runs,
        trials=trials,
        labels=labels,
        groups=failure_groups(all_trials, len(runs)),
        partly_right=sum(1 for trial in all_trials if _is_between(trial)),
        tasks=tasks,
        comparison=_comparison_of(runs),
    )


def _is_between(trial: TrialFacts) -> bool:
    """Return True if a trial scored between 0 and 1."""
    score = trial.summary.score
    return score is not None and 0 < score < 1


def page_title(runs: Sequence[RunFacts]) -> str:
    """Return the title of the page of these runs: `2 runs: base, fast · run report`."""
    names = [run.label for run in runs]
    if len(names) == 1:
        return f"{names[0]} · run report"
    return f"{len(names)} runs: {', '.join(names)} · run report"


def _comparison_of(runs: Sequence[RunFacts]) -> Comparison | None:
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


def run_page_html(page: RunPage) -> str:
    """Return a page of runs as HTML."""
    return template("report.html.j2").render(page=page, frame=page.frame)


def run_page_pieces(page: RunPage) -> Iterator[str]:
    """Yield the HTML of a page in pieces, so that a large page need not be in memory."""
    return template("report.html.j2").generate(page=page, frame=page.frame)
