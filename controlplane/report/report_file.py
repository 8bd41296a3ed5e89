"""Writes the report of one or more runs as one HTML file: reads each trial once, and keeps its facts and packed page.

All text of a journal is escaped. The policy lets the page fetch nothing and run only its one script and style, each
named by its hash. It tells the browser to refuse every string that a script would turn into markup or code.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
import zlib
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from agent.events import Record, StepDone, VerdictRecord
from controlplane.comparison.run_comparison import Interval, mean_interval, scores_by_task
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.journal.journal_file import is_being_written
from controlplane.journal.run_summary import WAITING, RunSummary, TrialSummary
from controlplane.view.display_text import (
    cost_text,
    count_text,
    ending_texts,
    one_line,
    sanitize,
    score_text,
    span_text,
    tokens_text,
)
from controlplane.view.report import SHORT_OUTCOMES
from controlplane.view.trial_pages import Page, Part, pages_of

if TYPE_CHECKING:
    from jinja2 import Template


def packed(value: object) -> str:
    """Return `value` as JSON, deflated (zlib's format) and in base64."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("ascii"), 6)).decode("ascii")


def gate_label(verdict: VerdictRecord) -> str:
    """Return `gate 4: citations were read` for a gate or one of its rules, `rule ecom/policy` for a rule of a pack."""
    name = one_line(verdict.name)
    return f"gate {verdict.gate}: {name}" if verdict.gate else f"rule {name}"


def trial_data(run: str, trial: TrialSummary, pages: Sequence[Page]) -> dict[str, object]:
    """Return a trial as the data from which the browser makes its page."""
    shown = [
        {
            "title": page.title,
            "n": page.step,
            "mark": page.mark,
            "figures": page.figures,
            "parts": [_part_data(part) for part in page.parts],
        }
        for page in pages
    ]
    head = {"run": run, "task": one_line(trial.task_id or trial.trial_id), "trial": one_line(trial.trial_id)}
    return {**head, "score": trial.score, "question": sanitize(trial.instruction), "pages": shown}


def _part_data(part: Part) -> list[object]:
    inner = [_part_data(each) for each in part.parts]
    return [part.text, part.style, part.title, part.tail, inner]


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """One trial: its totals and its submissions."""

    anchor: str
    """The anchor of its page: `trial-RUN-NUMBER`."""
    run: int
    """The index of its run in the report, from 0."""
    summary: TrialSummary
    submissions: tuple[frozenset[str], ...]
    """Labels of the gates and rules that rejected each submission; empty if it was accepted."""
    objections: tuple[frozenset[str], ...] = ()
    """Labels of those that objected to each submission, rejecting it or not."""

    @property
    def times_sent_back(self) -> int:
        return sum(1 for submission in self.submissions if submission)

    @property
    def words(self) -> tuple[str, ...]:
        """The reasons for a missing answer, objections of rules, and the grader's words."""
        return (*ending_texts(self.summary), *self.summary.details)


def trial_facts(anchor: str, run: int, summary: TrialSummary, records: Iterable[Record | None]) -> TrialFacts:
    """Return the facts of a trial from its totals and its recorded steps."""
    judged = [one for record in records if isinstance(record, StepDone) for one in record.verdicts]
    submissions = [frozenset(map(gate_label, one.rejections)) for one in judged]
    protests = (frozenset(map(gate_label, one.protests)) for one in judged)
    objections = map(frozenset.union, submissions, protests)
    return TrialFacts(anchor, run, summary, tuple(submissions), tuple(objections))


SILENT: Final = "the grader gave no reason"
_PATH: Final = r"(?<![\w/])/(?:[^\s,;:)]|[ ](?=[^,;:/]*[^\s,;:/]/))+"
"""A path; a space belongs to it if more of the path follows directly."""
_VARYING: Final = re.compile(rf"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|{_PATH}|(?<![\w.])[-+]?\d[\w.,:%-]*""")
_REPEATED: Final = re.compile(r"…(?:[\s,;]*(?:and )?…)+")
_LONGEST: Final = 160
"""Most characters of a group's title."""


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures with the same description."""

    title: str
    failures: tuple[tuple[TrialFacts, str], ...]
    """The trials, each with the grader's exact words."""
    trials: tuple[int, ...]
    """Number of distinct trials of each run."""


def failure_groups(trials: Iterable[TrialFacts], runs: int) -> list[FailureGroup]:
    """Return the groups, the largest first. A trial with several faults is in several groups."""
    groups: dict[str, list[tuple[TrialFacts, str]]] = {}
    for trial in filter(has_failed, trials):
        for line in map(one_line, trial.words or (SILENT,)):
            groups.setdefault(kind_of_fault(line), []).append((trial, line))
    groups_by_size = []
    for title, failures in groups.items():
        places = Counter({trial.anchor: trial.run for trial, _ in failures}.values())
        shown = title if len(failures) > 1 else failures[0][1]  # A single fault needs no ellipsis.
        groups_by_size.append(FailureGroup(shown, tuple(failures), tuple(places[run] for run in range(runs))))
    return sorted(groups_by_size, key=lambda group: (-sum(group.trials), group.title))


def has_failed(trial: TrialFacts) -> bool:
    """Say whether a trial scored 0 or ended in a fallback; running, cut-off and sealed trials have not failed.

    A score in between is an average, as of a plan that is played many times, and not a fault.
    """
    summary = trial.summary
    if summary.own_score is not None:
        return summary.own_score <= 0
    return summary.is_over and summary.state != "answered"


def is_average(trial: TrialFacts) -> bool:
    return trial.summary.score is not None and 0 < trial.summary.score < 1


def kind_of_fault(words: str) -> str:
    """Return the grader's words with an ellipsis for everything that varies between trials."""
    title = _REPEATED.sub("…", _VARYING.sub("…", words))
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


@dataclass(frozen=True, slots=True)
class Repairs:
    """Rejections of one gate or rule."""

    label: str
    sent_back: int
    """Submissions."""
    mended: int
    """Rejections after which it did not object to the next submission."""
    trials: tuple[TrialFacts, ...]
    """The trials, each once."""

    @property
    def accepted(self) -> int:
        """Trials whose last submission was accepted."""
        return sum(not trial.submissions[-1] for trial in self.trials)

    @property
    def right(self) -> int | None:
        """Trials that scored 1 in the end; None if no score is known."""
        scores = _scores(self.trials)
        return sum(score >= 1 for score in scores) if scores else None


def repairs_of(trials: Iterable[TrialFacts]) -> list[Repairs]:
    """Return the repairs of each gate and rule, most rejections first."""
    by_label: dict[str, list[tuple[TrialFacts, bool]]] = {}
    for trial in trials:
        for place, labels in enumerate(trial.submissions, start=1):
            following = trial.objections[place : place + 1]
            for label in labels:
                is_mended = any(label not in objections for objections in following)
                by_label.setdefault(label, []).append((trial, is_mended))
    repairs = (
        Repairs(label, len(tries), sum(mended for _, mended in tries), tuple({t.anchor: t for t, _ in tries}.values()))
        for label, tries in by_label.items()
    )
    return sorted(repairs, key=lambda one: (-one.sent_back, one.label))


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run: its totals, its trials, and figures over them."""

    label: str
    """Its name in the report: the run's name, else its id; unique."""
    summary: RunSummary
    status: str
    """Why its figures may not be final; empty if the run finished."""
    trials: tuple[TrialFacts, ...]
    """Worst first."""
    interval: Interval | None
    """The interval of the mean score over its tasks."""
    repairs: tuple[Repairs, ...]

    @property
    def perfect(self) -> int:
        """Number of trials that scored 1."""
        return sum(score >= 1 for score in self.summary.scores)

    @property
    def wall_ms(self) -> int:
        """Time from its start, or its latest resumption, to its last event."""
        return max(self.summary.last_ms - self.summary.began_ms, 0) if self.summary.began_ms else 0

    @property
    def trial_ms(self) -> float:
        return sum(trial.summary.elapsed_ms for trial in self.trials)


def run_facts(summary: RunSummary, trials: list[TrialFacts], label: str, *, is_running: bool) -> RunFacts:
    """Return the facts of a run from its summary and its trials, worst first."""
    means = [fmean(scores) for scores in scores_by_task(trial.summary for trial in trials).values()]
    status, repairs = _status(summary, is_running=is_running), repairs_of(trials)
    return RunFacts(label, summary, status, tuple(trials), mean_interval(means), tuple(repairs))


def _scores(trials: Iterable[TrialFacts]) -> list[float]:
    return [trial.summary.own_score for trial in trials if trial.summary.own_score is not None]


def moment(at_ms: int) -> str:
    """Return a time as `2026-11-21 10:47 UTC`; empty if it is out of range."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return ""


def _status(summary: RunSummary, *, is_running: bool) -> str:
    if is_running:
        return "The run is still in progress: these are its figures so far."
    if summary.closed != "finished":
        error = f": {one_line(summary.error)}" if summary.error else ""
        return f"The run was {summary.closed or 'cut off'}{error}. {summary.left} of its trials are not over."
    if summary.submitted and summary.state != "evaluated" and len(summary.scores) < len(summary.trials):
        return "The scores are not out yet."
    return ""


RED, AMBER, GREEN = (220, 38, 38), (245, 158, 11), (22, 163, 74)


class HeatCell(NamedTuple):
    """A score as text and colour: red up to 0, amber at a half, green from 1, grey without a score."""

    text: str
    background: str


def heat_cell(score: float | None) -> HeatCell:
    """Return the cell of a score, clamped to 0 and 1."""
    if score is None:
        return HeatCell("n/a", "#f3f4f6")
    clamped = min(max(score, 0.0), 1.0)
    low, high, share = (RED, AMBER, clamped * 2) if clamped <= 0.5 else (AMBER, GREEN, clamped * 2 - 1)
    mixed = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    return HeatCell(f"{score:g}", "#" + "".join(f"{channel:02x}" for channel in mixed))


class TaskRow(NamedTuple):
    """One task: its tries by run."""

    task: str
    cells: tuple[tuple[TrialFacts, ...], ...]

    @property
    def differs(self) -> bool:
        """True if its tries scored differently or, without any score, ended differently."""
        tries = [trial.summary for cell in self.cells for trial in cell if trial.summary.is_over]
        scores = {trial.score for trial in tries if trial.score is not None}
        return len(scores or {trial.outcome or trial.state for trial in tries}) > 1


def task_rows(trials_by_run: Sequence[Sequence[TrialFacts]]) -> list[TaskRow]:
    """Return a row for each task of any run, by name."""
    cells: dict[str, list[list[TrialFacts]]] = {}
    for run, trials in enumerate(trials_by_run):
        for trial in trials:
            name = trial.summary.task_id or trial.summary.trial_id
            cells.setdefault(name, [[] for _ in trials_by_run])[run].append(trial)
    return [TaskRow(task, tuple(map(tuple, cells[task]))) for task in sorted(cells)]


TEMPLATES: Final = Path(__file__).parent / "templates"
POLICY: Final = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy of a page, without the hashes of its script and style."""


def score_class(score: float | None) -> str:
    """Return the CSS class of a score's cell: `s0` for 0 to `s5` for 1, `sealed` without a score."""
    if score is None:
        return "sealed"
    return "s5" if score >= 1 else "s0" if score <= 0 else f"s{min(int(score * 4) + 1, 4)}"


def score_mark(score: float | None) -> str:
    """Return the sign that shows a score's class without colour."""
    return "–" if score is None else "✓" if score >= 1 else "✗" if score <= 0 else "◐"


@lru_cache
def template(name: str) -> Template:
    """Return a page's template, with the filters that write its figures and texts."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    texts = (cost_text, count_text, one_line, sanitize, score_text, span_text, tokens_text)
    environment.filters |= {text.__name__: text for text in (*texts, score_class, score_mark, heat_cell, moment)}
    environment.tests |= {"failed": has_failed, "an_average": is_average}
    environment.filters["short_outcome"] = lambda outcome: SHORT_OUTCOMES.get(outcome, outcome)
    environment.filters["json_text"] = lambda value: sanitize(json.dumps(value, ensure_ascii=False))
    return environment.get_template(name)


@dataclass(frozen=True, slots=True)
class Report:
    """A report and its counts."""

    html: str
    runs: int
    trials: int


def report_html(runs: Sequence[Path]) -> Report:
    """Return the report of the runs of these journals. Raises `NotAJournal` and `JournalDamaged`."""
    blocks, facts = dict[str, str](), list[RunFacts]()
    for number, path in enumerate(runs):
        with open_journal(path) as journal:
            is_running, summary = is_being_written(path), journal.summary
            if not is_running:
                summary.mark_stopped()
            label = _label(journal, {run.label for run in facts})
            shown = summary.worst_first  # Trials that never began come last.
            left_out = sum(trial.state == WAITING for trial in shown) - 500  # A journal may declare thousands.
            if left_out > 0:
                shown = shown[:-left_out]
                summary.notices.append(f"{count_text(left_out, 'trial')} that never began left out")
            trials = list[TrialFacts]()
            for place, trial in enumerate(shown, start=1):
                pages, anchor = pages_of(journal.trials[trial.trial_id]), f"trial-{number + 1}-{place}"
                trials.append(trial_facts(anchor, number, trial, (page.recorded for page in pages)))
                blocks[anchor] = packed(trial_data(label, trial, pages))
        facts.append(run_facts(summary, trials, label, is_running=is_running))
    return Report(_page(facts, blocks), len(facts), len(blocks))


def _page(runs: Sequence[RunFacts], blocks: Mapping[str, str]) -> str:
    """Return the whole file; `blocks` holds the packed data of each trial's page, by its anchor."""
    style, script = (
        "".join(path.read_text("utf-8") for path in sorted(TEMPLATES.glob(f"*.{kind}"))) for kind in ("css", "js")
    )
    script = f'"use strict";(() => {{\n{script}}})();'
    trials = [trial for run in runs for trial in run.trials]
    names = [run.label for run in runs]
    digests = (hashlib.sha256(text.encode()).digest() for text in (script, style))
    return template("report.html.j2").render(
        policy=POLICY.format(*(base64.b64encode(digest).decode() for digest in digests)),
        style=style,
        script=script,
        title=names[0] if len(names) == 1 else f"{len(names)} runs: {', '.join(names)}",
        runs=runs,
        trials=trials,
        groups=failure_groups(trials, len(runs)),
        averages=sum(map(is_average, trials)),
        tasks=task_rows([run.trials for run in runs]) if len(runs) > 1 else [],
        blocks=blocks,
    )


def _label(journal: Journal, taken: Container[str]) -> str:
    wanted = one_line(journal.opened.name) or one_line(journal.run)
    numbered = (f"{wanted} ({number})" for number in itertools.count(2))
    return next(label for label in itertools.chain([wanted], numbered) if label not in taken)
