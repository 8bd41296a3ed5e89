"""Makes the pages of runs and trials, which `view` serves and `report` freezes into one HTML file that opens offline.

All text of a journal is escaped. The file's policy lets the page fetch nothing and run only its one script and style,
each named by its hash. It tells the browser to refuse every string that a script would turn into markup or code.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import itertools
import json
import zlib
from array import array
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

import re2

from controlplane.agent.events import (
    CallDone,
    CallSent,
    Citation,
    ConversationOpened,
    ModelAsked,
    ModelReplied,
    StepDone,
)
from controlplane.configuration.run_settings import run_argument
from controlplane.errors import JournalDamaged, UsageError, invocation
from controlplane.gates.submission import encodable
from controlplane.journal.journal_lines import is_being_written
from controlplane.journal.journal_reader import (
    Journal,
    RecordedTrial,
    TrialRecord,
    event_of,
    line_at,
    open_journal,
    trial_key,
)
from controlplane.journal.run_events import tool_schema_from_text
from controlplane.journal.run_summary import WAITING, RunSummary, TrialSummary
from controlplane.run_comparison import (
    Comparison,
    FamilyScore,
    GateEffect,
    Interval,
    compare_runs,
    gate_effects,
    mean_interval,
    run_with_reruns,
    scores_by_family,
    scores_by_task,
)
from controlplane.sandbox.interface import Effect, bounds
from controlplane.terminal_text import (
    cost_text,
    count_text,
    ending_texts,
    gate_or_rule_text,
    one_line,
    sanitize,
    score_text,
    span_text,
    tokens_text,
)
from controlplane.view.report import NO_MODELS, objection_lines, short_outcomes
from controlplane.view.trial_pages import pages_of

if TYPE_CHECKING:
    from jinja2 import Template


def trial_data(run: str, recorded: RecordedTrial) -> dict[str, object]:
    """Return a trial as the data from which the browser makes its page."""
    trial, record = recorded.summary, recorded.record
    shown = [
        {
            "title": page.title,
            "n": page.step,
            "mark": page.mark,
            "figures": page.figures,
            "parts": [astuple(part) for part in page.parts],
        }
        for page in pages_of(recorded, record)
    ]
    head = {"run": run, "task": one_line(trial.task), "trial": one_line(trial.trial_id)}
    fork = fork_command(recorded.journal.path, trial, 0).removesuffix("0")
    files = {
        one_line(ref): [sanitize(text), line]
        for ref, (text, line) in cited_files(record, trial.refs).items()
    }
    question = sanitize(trial.instruction)
    return {
        **head,
        "score": trial.score,
        "question": question,
        "pages": shown,
        "files": files,
        "fork": fork,
    }


def cited_files(record: TrialRecord, refs: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Return the text of each cited file as the trial last read it, and the line that a quotation begins on, or 0."""
    if record.started is None:
        return {}
    try:
        tool_schema = tool_schema_from_text(record.started.tool_schema)
    except JournalDamaged:  # somebody else's journal; the rest of it can be shown
        return {}
    texts = dict[str, str]()
    for call in record.all_calls:
        declared = tool_schema.operation(call.operation)
        if call.result is None or declared is None or declared.effect is not Effect.READS:
            continue
        text = call.result.get(declared.json_field)
        if isinstance(text, str):
            # Characters of a cited file that its page holds.
            texts[str(call.arguments.get(declared.subject))] = text[:200_000]
    quoted = {each.spelling: each for step in record.steps for each in step.citations if each.quote}
    paths = {ref: ref.partition("#")[0] for ref in refs}
    return {
        ref: (texts[path], _line_of(quoted.get(ref), texts[path]))
        for ref, path in paths.items()
        if path in texts
    }


def _line_of(quoted: Citation | None, text: str) -> int:
    """Return the line of a text on which a quotation begins; 0 without one, or if it does not stand there as it is."""
    if quoted is None or quoted.line or quoted.quote not in text:
        return quoted.line if quoted is not None else 0
    return text[: text.index(quoted.quote)].count("\n") + 1


class ShownRequest(NamedTuple):
    """One request to a model, as it was sent."""

    step: int
    role: str
    """What the model was asked for."""
    messages: tuple[tuple[str, str], ...]
    """Role and text of each message."""
    known: int
    """The number of messages that the request before in this role began with, too."""
    replies: list[ModelReplied]


def requests_of(recorded: RecordedTrial) -> list[ShownRequest]:
    """Return every request of a trial with its messages, rebuilt from its journal."""
    conversation: list[tuple[str, str]] = []
    shown: list[ShownRequest] = []
    before: dict[str, tuple[tuple[str, str], ...]] = {}
    results = 0
    for event in recorded.events():
        match event:
            case ConversationOpened():
                said = [(each.role, each.content) for each in event.exchange]
                conversation = [
                    ("system", event.system),
                    *said,
                    ("user", "".join(event.first_message)),
                ]
            case ModelAsked():
                messages = tuple((each.role, each.content) for each in event.texts) or tuple(
                    conversation
                )
                pairs = zip(messages, before.get(event.role, ()), strict=False)
                known = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
                before[event.role] = messages
                shown.append(ShownRequest(event.step, event.role, messages, known, []))
            case ModelReplied() if shown:
                shown[-1].replies.append(event)
                results = len(event.tool_calls) if event.role == "solve" else results
            case StepDone():
                conversation.append(("assistant", event.reply))
                conversation += [("tool", result) for result in event.feedback[:results]]
                if rest := "".join(event.feedback[results:]):
                    conversation.append(("user", rest))
                results = 0
            case _:
                pass
    return shown


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """One trial: its totals and its submissions."""

    anchor: str
    """The anchor of its page: `trial-RUN-NUMBER`."""
    run: int
    """The index of its run in the report, from 0."""
    summary: TrialSummary

    @property
    def words(self) -> tuple[str, ...]:
        """The grader's words, the reasons for a missing answer, and objections of rules."""
        return (*self.summary.details, *ending_texts(self.summary))


SILENT: Final = "the grader gave no reason"
_PATH: Final = r"/(?:[^\s,;:)]|[ ][^,;:/]*[^\s,;:/]/)+"
"""A path; a space belongs to it if more of the path follows directly."""
_W: Final = r"\pL\pM\pN_"
_VARYING: Final = re2.compile(
    rf"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|{_PATH}|[-+]?\d[{_W}.,:%-]*|(?P<kept>[{_W}.]*[{_W}]/*|\.+/*)"""
)
"""What varies between trials, and the words around it, which hold neither the beginning of a path nor a number."""
_REPEATED: Final = re2.compile(r"…(?:[\s,;]*(?:and )?…)+")


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
        groups_by_size.append(
            FailureGroup(shown, tuple(failures), tuple(places[run] for run in range(runs)))
        )
    return sorted(groups_by_size, key=lambda group: (-sum(group.trials), group.title))


def has_failed(trial: TrialFacts) -> bool:
    """Say whether a trial scored 0 or ended in a fallback; running, cut-off and sealed trials have not failed.

    A score in between is an average, as of a plan that is played many times, and not a fault.
    """
    summary = trial.summary
    if summary.own_score is not None:
        return summary.own_score <= 0
    return summary.is_over and summary.state != "answered"


@lru_cache(maxsize=50_000)  # A page of a growing run is made again and again.
def kind_of_fault(words: str) -> str:
    """Return the grader's words with an ellipsis for everything that varies between trials."""
    title: str = _REPEATED.sub(
        "…", _VARYING.sub(lambda found: found["kept"] or "…", encodable(words))
    )
    return (
        title
        if len(title) <= bounds.SHOWN_TITLE_CHARS
        else title[: bounds.SHOWN_TITLE_CHARS - 1] + "…"
    )


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run: its totals, its trials, and figures over them."""

    label: str
    """Its name in the report: the run's name, else its id; unique."""
    path: Path
    """Its journal."""
    summary: RunSummary
    status: str
    """Why its figures may not be final; empty if the run finished."""
    trials: tuple[TrialFacts, ...]
    """Worst first."""
    interval: Interval | None
    """The interval of the mean score over its tasks."""
    gates: tuple[GateEffect, ...]
    last_calls: Mapping[str, str]
    """The latest call of each running trial, in a few words, by trial id."""

    @property
    def families(self) -> tuple[FamilyScore, ...]:
        """The scores of each family of tasks, the worst first."""
        return scores_by_family(self.summary.trials.values())

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """The limits of the run, with what is spent of each."""
        summary = self.summary
        assert summary.opened is not None
        spent = {
            "run_cost": (cost_text, summary.spent.known_usd),
            "max_tokens_run": (tokens_text, summary.spent.tokens),
            "run_time": (lambda seconds: span_text(seconds * 1000), summary.wall_ms / 1000),
        }
        limits = {name: summary.opened.setting(name) for name in spent}
        return tuple(
            Budget(
                name, shown(used), shown(limit), shown(max(limit - used, 0)), min(used / limit, 1.0)
            )
            for name, (shown, used) in spent.items()
            if isinstance(limit := limits[name], int | float) and limit > 0
        )

    def commands(self, trials: Sequence[TrialFacts]) -> list[tuple[str, str]]:
        """Return what to type about some failed trials of the run, each with its purpose, as lines to copy."""
        run, first = (
            run_argument(self.path),
            next((trial.summary for trial in trials if trial.summary.step), None),
        )
        tasks = [task for task in dict.fromkeys(trial.summary.task_id for trial in trials) if task][
            :8
        ]
        chosen = [word for task in tasks for word in ("--trials", task)]
        lines = [(invocation("rerun", run, *chosen), "plays them again in the same worlds")]
        if first is not None:
            lines.append(
                (
                    fork_command(self.path, first, first.step),
                    "plays the last step of the first one again",
                )
            )
        lines.append((invocation("judge", run), "judges all answers by today's gates"))
        if words := self._words_of_improve():
            lines.append(
                (invocation("improve", *tasks, *words), "looks for better prompts and hints")
            )
        return [(one_line(command), purpose) for command, purpose in lines]

    def _words_of_improve(self) -> list[str]:
        """Return the run's benchmark and model as options of `improve`; nothing without a model that can be asked."""
        opened = self.summary.opened
        assert opened is not None
        own = {
            setting.name: setting.value
            for setting in opened.settings
            if setting.source != "default"
        }
        model = str(own.get("model") or "")
        if model in NO_MODELS or model.startswith("scripted:"):
            return []
        options = own.get("set")
        pairs = (
            [f"{name}={value}" for name, value in options.items()]
            if isinstance(options, dict)
            else []
        )
        words = [
            (f"--{name.replace('_', '-')}", str(own[name])) for name in ASKED_AGAIN if own.get(name)
        ]
        return [*itertools.chain(*words, *(("--set", pair) for pair in pairs)), "--with", model]


ASKED_AGAIN: Final = (
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
"""Settings of a run that hold for its improvement, too."""


def fork_command(journal: Path, trial: TrialSummary, step: int) -> str:
    """Return the command that plays a trial again from a step on, in one line."""
    return one_line(
        invocation("fork", run_argument(journal), "--trial", trial.trial_id, "--step", str(step))
    )


class Budget(NamedTuple):
    """One limit of a run, its amounts as texts."""

    name: str
    used: str
    limit: str
    left: str
    share: float
    """The spent share, 0 to 1."""


def run_facts(
    journal: Journal, number: int, taken: Container[str], *, is_running: bool
) -> RunFacts:
    """Return the facts of the run of a journal, the `number`th of its page, from its totals."""
    summary = journal.summary
    places = {trial_id: place for place, trial_id in enumerate(summary.trials, start=1)}
    trials = tuple(
        TrialFacts(f"trial-{number + 1}-{places[trial.trial_id]}", number, trial)
        for trial in summary.worst_first
    )
    means = [fmean(scores) for scores in scores_by_task(summary.trials.values()).values()]
    status = _status(summary, is_running=is_running)
    label = _label(journal, taken)
    calls = {trial.trial_id: last_call(journal.trials[trial.trial_id]) for trial in summary.running}
    gates = gate_effects(trial.summary for trial in trials)
    return RunFacts(
        label, journal.path, summary, status, trials, mean_interval(means), gates, calls
    )


def last_call(trial: RecordedTrial) -> str:
    """Return the latest call of a trial in a few words, if it is among the last lines about the trial."""
    journal, shown = trial.journal, TrialSummary(trial.trial_id)
    # Lines among which the latest call of a running trial is looked for.
    for place in journal.places.get(trial_key(trial.trial_id), array("Q"))[-12:]:
        with contextlib.suppress(ValueError, KeyError):  # a page of the trial says what is wrong
            event = event_of(line_at(journal.file, place), journal.texts, {}, calls=False)
            if isinstance(event, CallSent | CallDone):
                shown.count_call(event)
    return shown.doing


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
        return f"The run was {summary.closed or 'cut off'}{error}. {summary.left} of its trials are unfinished."
    if (
        summary.submitted
        and summary.state != "evaluated"
        and len(summary.scores) < len(summary.trials)
    ):
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
    low, high, share = (
        (RED, AMBER, clamped * 2) if clamped <= 0.5 else (AMBER, GREEN, clamped * 2 - 1)
    )
    mixed = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    return HeatCell(f"{score:g}", "#" + "".join(f"{channel:02x}" for channel in mixed))


class TaskRow(NamedTuple):
    """One task: its tries by run."""

    task: str
    cells: tuple[tuple[TrialFacts, ...], ...]

    @property
    def pair(self) -> str:
        """The anchor of its first trials in two runs, side by side; empty for another number of runs."""
        return (
            "~".join(cell[0].anchor for cell in self.cells)
            if len(self.cells) == 2 and all(self.cells)
            else ""
        )

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
            name = trial.summary.task
            cells.setdefault(name, [[] for _ in trials_by_run])[run].append(trial)
    return [TaskRow(task, tuple(map(tuple, cells[task]))) for task in sorted(cells)]


TEMPLATES: Final = Path(__file__).parent / "templates"


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
    texts = (
        cost_text,
        count_text,
        gate_or_rule_text,
        one_line,
        sanitize,
        score_text,
        span_text,
        tokens_text,
    )
    environment.filters |= {
        text.__name__: text
        for text in (*texts, objection_lines, score_class, score_mark, heat_cell, moment)
    }
    environment.tests["failed"] = has_failed
    environment.filters["short_outcome"] = short_outcomes
    environment.filters["json_text"] = lambda value: sanitize(json.dumps(value, ensure_ascii=False))
    return environment.get_template(name)


def style_of_page() -> str:
    """Return the style of every page."""
    return (TEMPLATES / "report.css").read_text("utf-8")


def script_of_page(*, live: bool = False) -> str:
    """Return the script of a page of runs; with `live`, of one that a server keeps up to date."""
    names = sorted(path.name for path in TEMPLATES.glob("[0-9]*.js"))
    texts = [
        (TEMPLATES / name).read_text("utf-8") for name in names if live or not name.startswith("6")
    ]
    return f'"use strict";(() => {{\n{"".join(texts)}}})();'


def run_page(runs: Sequence[RunFacts], **how: object) -> str:
    """Return the page of one run or of several side by side.

    `how` says where its script, style and trials come from. A file holds all of them: `policy`, `style`, `script`, and
    `blocks`, the packed data of each trial by anchor. For a server there are `source`, the page's address, `events`,
    that of its news, the `rows` of the table of trials, the number of those `left_out`, and the words by which the rows
    were `found`.
    """
    trials = [trial for run in runs for trial in run.trials]
    names = [run.label for run in runs]
    title = names[0] if len(names) == 1 else f"{len(names)} runs: {', '.join(names)}"
    return rendered(
        "report.html.j2",
        title=f"{title} · run report",
        runs=runs,
        labels=dict(enumerate(names)) if len(names) > 1 else {},
        groups=failure_groups(trials, len(runs)),
        averages=sum(0 < (trial.summary.score or 0) < 1 for trial in trials),
        tasks=task_rows([run.trials for run in runs]) if len(runs) > 1 else [],
        comparison=comparison_of(runs),
        **{"rows": trials, **how},
    )


def rendered(name: str, **given: object) -> str:
    """Return a page from its template, with nothing for what is not given."""
    nothing = dict.fromkeys(
        ("policy", "style", "script", "source", "events", "version", "found"), ""
    )
    return template(name).render(nothing | {"blocks": {}, "left_out": 0} | given)


def comparison_of(runs: Sequence[RunFacts]) -> Comparison | None:
    """Return the paired comparison of two runs; None for another number of runs, or if they cannot be compared."""
    try:
        return (
            compare_runs(*(run_with_reruns([(run.path, run.summary)]) for run in runs))
            if len(runs) == 2
            else None
        )
    except UsageError:
        return None


def _label(journal: Journal, taken: Container[str]) -> str:
    wanted = one_line(journal.opened.name) or one_line(journal.run)
    numbered = (f"{wanted} ({number})" for number in itertools.count(2))
    return next(label for label in itertools.chain([wanted], numbered) if label not in taken)


POLICY: Final = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy of a page, without the hashes of its script and style."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report and its counts."""

    html: str
    runs: int
    trials: int


def report_html(paths: Sequence[Path]) -> Report:
    """Return the report of the runs of these journals. Raises `NotAJournal` and `JournalDamaged`."""
    blocks, runs = dict[str, str](), list[RunFacts]()
    for number, path in enumerate(paths):
        with open_journal(path) as journal:
            is_running, summary = is_being_written(path), journal.summary
            if not is_running:
                summary.mark_stopped()
            facts = run_facts(journal, number, {run.label for run in runs}, is_running=is_running)
            # Trials that never began and are shown; a journal may declare thousands.
            left_out = sum(trial.summary.state == WAITING for trial in facts.trials) - 500
            if left_out > 0:  # trials that never began come last
                facts = replace(facts, trials=facts.trials[:-left_out])
                summary.notices.append(f"{count_text(left_out, 'trial')} that never began left out")
            for trial in facts.trials:
                blocks[trial.anchor] = packed(
                    trial_data(facts.label, journal.trials[trial.summary.trial_id])
                )
        runs.append(facts)
    style, script = style_of_page(), script_of_page()
    digests = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (script, style)
    )
    html = run_page(runs, blocks=blocks, policy=POLICY.format(*digests), style=style, script=script)
    return Report(html, len(runs), len(blocks))


def packed(value: object) -> str:
    """Return `value` as JSON, deflated (zlib's format) and in base64."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("ascii"), 6)).decode("ascii")
