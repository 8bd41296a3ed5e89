"""Renders the HTML pages of runs, which `view` serves and `report` writes to a file.

Each page has a dataclass with its content, and a Jinja template. Text from journals is
escaped, and invisible and control characters in it are made visible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controlplane.compared_run import run_with_reruns
from controlplane.errors import UsageError
from controlplane.report.failure_groups import FailureGroup, failure_groups
from controlplane.report.run_facts import (
    RunFacts,
)
from controlplane.report.task_map import (
    TaskRow,
    heat_cell,
    score_class,
    score_mark,
    task_rows,
)
from controlplane.report.trial_commands import commands_about
from controlplane.report.trial_facts import TrialFacts, has_failed
from controlplane.run_comparison.comparing import compare_runs
from controlplane.run_comparison.results import Comparison
from controlplane.terminal_text import (
    cost_text,
    count_text,
    gate_or_rule_text,
    one_line,
    sanitize,
    score_text,
    span_text,
    tokens_text,
)
from controlplane.view.tables.rejection_lines import objection_lines
from controlplane.view.tables.trial_table import short_outcomes

if TYPE_CHECKING:
    from jinja2 import Environment, Template


# --- What a page shows ---


@dataclass(frozen=True, slots=True)
class PackedTrial:
    """The data of a trial's page, packed for a file."""

    anchor: str
    data: str
    """JSON, deflated and in base64."""


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The parts that every page has. A page is either served by `view`, or written to a file."""

    title: str

    # Only if it is served

    source: str = ""
    """The page's path on the server."""
    events: str = ""
    """The path of its event stream on the server."""
    version: str = ""
    """The versions of its runs, as JSON. The page reloads when the event stream sends others."""

    # Only in a file, which has to contain everything

    policy: str = ""
    """The Content-Security-Policy, which a server sends as a header."""
    style: str = ""
    script: str = ""
    blocks: Iterable[PackedTrial] = ()
    """The data of each trial, which is read from its journal while the file is written."""


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
    averages: int
    """The number of trials that scored between 0 and 1."""
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
    averages = 0
    for trial in all_trials:
        score = trial.summary.score
        if score is not None and 0 < score < 1:
            averages += 1

    has_several = len(runs) > 1
    return RunPage(
        frame=frame,
        runs=runs,
        trials=trials,
        labels={index: run.label for index, run in enumerate(runs)}
        if has_several
        else {},
        groups=failure_groups(all_trials, len(runs)),
        averages=averages,
        tasks=task_rows([run.trials for run in runs]) if has_several else [],
        comparison=_comparison_of(runs),
    )


def page_title(runs: Sequence[RunFacts]) -> str:
    """Return the title of the page of these runs."""
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
    except UsageError:
        return None


# --- Templates ---


TEMPLATES: Final = Path(__file__).parent / "templates"
LIVE_SCRIPT: Final = "6_live.js"
"""The part of the script that keeps a served page up to date."""


def run_page_html(page: RunPage) -> str:
    """Return a page of runs as HTML."""
    return template("report.html.j2").render(page=page, frame=page.frame)


def run_page_pieces(page: RunPage) -> Iterator[str]:
    """Yield the HTML of a page in pieces, so that a large page need not be in memory."""
    return template("report.html.j2").generate(page=page, frame=page.frame)


def style_of_page() -> str:
    """Return the style sheet of all pages."""
    return (TEMPLATES / "report.css").read_text("utf-8")


def script_of_page(*, live: bool = False) -> str:
    """Return the script of a page of runs.

    With `live`, it also updates the page from the server.
    """
    texts = []
    for path in sorted(TEMPLATES.glob("[0-9]*.js")):
        if live or path.name != LIVE_SCRIPT:
            texts.append(path.read_text("utf-8"))
    return f'"use strict";(() => {{\n{"".join(texts)}}})();'


@lru_cache
def template(name: str) -> Template:
    """Return a template, with the filters that format numbers and texts."""
    return _environment().get_template(name)


@lru_cache
def _environment() -> Environment:
    """Return what Jinja needs to render our templates: their folder, filters and tests."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    for text_filter in (
        commands_about,
        cost_text,
        count_text,
        gate_or_rule_text,
        heat_cell,
        json_text,
        moment,
        objection_lines,
        one_line,
        sanitize,
        score_class,
        score_mark,
        score_text,
        short_outcomes,
        span_text,
        tokens_text,
    ):
        environment.filters[text_filter.__name__] = text_filter
    environment.tests["failed"] = has_failed
    return environment


def _visible(value: object) -> object:
    """Return the value of a template's expression, sanitized if it is plain text.

    Jinja calls this for every expression. Markup from the templates themselves is not a
    plain `str`, and is unchanged.
    """
    if type(value) is str:
        return sanitize(value)
    return value


def json_text(value: object) -> str:
    """Return a setting's value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def moment(at_ms: int) -> str:
    """Return a time as `2026-11-21 10:47 UTC`; empty if it is out of range."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime(
            "%Y-%m-%d %H:%M UTC"
        )
    except (OverflowError, ValueError, OSError):
        return ""
