"""Renders a recorded trial as pages to step through or print, and as JSON. All untrusted text passes `sanitize`.

A folded page shows calls without their results, the submission's calls only by number, and cuts the middle of long
sections. In a terminal the pages are printed one below the other, a key for the next step.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import termios
import tty
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import click
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.syntax import Syntax
from rich.text import Text

from agent.events import CallRecord, Judged, Record, StepDone, VerdictRecord
from agent.reply import Unusable, action_of
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal, TrialRecord
from controlplane.journal.run_summary import TrialSummary
from controlplane.view.display_text import (
    cost_text,
    count_text,
    ending_texts,
    gate_or_rule_text,
    one_line,
    sanitize,
    score_style,
    score_text,
    span_text,
    spent_texts,
)
from controlplane.view.report import CleanConsole
from controlplane.view.run_results import trial_result
from sandbox.interface import Tree

RESULT_MARKS: Final = {
    "pass": ("✓", "green"),
    "reject": ("✗", "red"),
    "protest": ("!", "yellow"),
    "not_applicable": ("·", "dim"),
    "skipped": ("-", "dim"),
}
OBJECTIONS: Final = ("reject", "protest")
_TO_JSON: Final = json.JSONEncoder(ensure_ascii=False).encode
MOST_FOLDED: Final = 8
"""Most lines of a section on a folded page."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a title, indented, without trailing blanks."""

    title: str
    content: RenderableType
    limit: int | None = None
    """Most lines below the title; the middle of longer content is left out."""
    columns: int = 2
    """Width of the indent."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.title:
            yield _ruler(self.title)
        inner = options.update(width=max(options.max_width - self.columns, 1), height=None)
        # Not `render_lines`: it cuts long lines.
        lines = list(Segment.split_lines(console.render(self.content, inner)))
        left_out = len(lines) - self.limit + 1 if self.limit is not None and len(lines) > self.limit else 0
        head = (len(lines) - left_out + 1) // 2 if left_out else len(lines)
        for place, line in enumerate(lines):
            if left_out and place == head:
                yield Text(f"{' ' * self.columns}… {left_out} lines more", style="dim italic")
            if not head <= place < head + left_out:
                yield Segment(" " * self.columns)
                yield from line
                yield Segment.line()


@dataclass(frozen=True, slots=True)
class CallLine:
    """A call in one line: its arguments, the size of its result, its duration."""

    call: CallRecord
    is_brief: bool
    """Leave out empty and zero arguments, and cut a long line."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        call = self.call
        words, tail = call_texts(call, is_brief=self.is_brief)
        line = Text(words, style="cyan")
        if self.is_brief:
            line.truncate(max(options.max_width - len(tail) - 2, 10), overflow="ellipsis")
        yield (
            Text("→ " if call.outer is None else "  ↳ ")
            .append_text(line)
            .append(tail, style="dim" if call.result is not None else "red")
        )


def call_texts(call: CallRecord, *, is_brief: bool) -> tuple[str, str]:
    """Return a call with its arguments in one line, and the size of its result, or its error, with its duration."""
    shown = {name: value for name, value in call.arguments.items() if value or not is_brief}
    arguments = ", ".join(f"{name}={_TO_JSON(value)}" for name, value in shown.items())
    sizes = (len(field if isinstance(field, str) else json.dumps(field)) for field in (call.result or {}).values())
    result = count_text(sum(sizes), "character") if call.result is not None else "cut off"
    result = call.error.code if call.error is not None else result
    tail = f"  {result} · {span_text(call.elapsed_ms)}{' · in verify' if call.in_verify else ''}"
    return one_line(f"{call.operation}({arguments})"), tail


def initial_prompt_page(record: TrialRecord, *, folded: bool) -> RenderableType:
    """Return turn one: the instruction, the clock, its calls, and, if unfolded, the prompt's text.

    Results of calls appear only once, in the first message.
    """
    started, opened = record.started, record.opening
    assert started is not None
    parts: list[RenderableType] = [
        Text(sanitize(started.instruction), style="bold"),
        Text(f"trial {one_line(started.trial_id)} · its clock says {one_line(started.now)}", style="dim"),
    ]
    if opened is None:
        if not record.steps and record.pending is None:
            return Group(*parts, Text("the journal breaks off before turn one is ready", style="red"))
        return Group(*parts, Text("the solver works without a turn one", style="dim"))
    parts += _calls(opened.calls, folded=folded, with_results=False)
    first = "".join(opened.turn_one)
    if not folded:
        parts.append(Section("system prompt", Text(sanitize(opened.system))))
        rest = first.replace(started.instruction, "(the question above)", 1) if started.instruction else first
        parts.append(Section("first message", Text(sanitize(rest))))
    else:
        words = f"a system prompt of {len(opened.system):,} characters and a message of {len(first):,}"
        parts.append(Section("messages", Text(words, style="dim")))
    return Group(*parts)


def step_page(step: StepDone, before: Mapping[str, object], *, folded: bool) -> RenderableType:
    """Return one step: state, plan, gates, code, calls, output, changes of the scratchpad since `before`, figures."""
    limit = MOST_FOLDED if folded else None
    parts: list[RenderableType] = [Text(sanitize(step.state), style="bold")] if step.state else []
    parts += [Text(f"  {number}. {one_line(item)}", style="dim") for number, item in enumerate(step.plan, start=1)]
    for judged in step.verdicts:
        parts += verdict_lines(judged, step.scratchpad.get("answer"))
    if step.code:
        # The terminal's own sixteen colours are readable on light and dark backgrounds.
        python = Syntax("", "python", theme="ansi_dark", background_color="default", word_wrap=True)
        code = python.highlight(sanitize(step.code))
        code.rstrip()
        parts.append(Section("code", code, limit))
    elif step.reply:
        parts.append(Section("reply", Text(sanitize(step.reply), style="dim"), limit))
    parts += _calls(step.calls, folded=folded)
    if quoted := [Text(text) for _, text in quotations(step)]:
        parts.append(Section("quotes", Group(*quoted), limit))
    for name, text, style in (("output", step.output, ""), ("error", step.error, "red")):
        if text:
            parts.append(Section(name, Text(sanitize(text).rstrip("\n"), style=style), limit))
    if changes := list(scratchpad_changes(before, step.scratchpad)):
        parts.append(Section("scratchpad", Group(*changes), limit))
    for message in caught_messages(step):
        parts.append(Section("what the gates said", Text(sanitize(message), style="red"), limit))
    return Group(*parts, _ruler(figures_text(step)))


def caught_messages(step: StepDone) -> list[str]:
    """Return the gates' messages that the script caught; its error shows the rest."""
    said = (judged.message for judged in step.verdicts if judged.message)
    return [message.rstrip("\n") for message in said if message.strip() not in step.error]


def end_page(
    summary: TrialSummary,
    scratchpad: Mapping[str, object],
    quoted: Mapping[str, str],
    claims: Sequence[tuple[str, str]] = (),
) -> RenderableType:
    """Return the end of a trial: answer, citations with reasons and quotations, score, and the grader's words."""
    head = Text(f"{summary.state}").append(f" · {summary.outcome}" if summary.outcome else "")
    head.append(" · score ").append(score_text(summary.score), style=score_style(summary.score))
    parts: list[RenderableType] = [head]
    parts += [Text(f"reason: {sanitize(text)}", style="red") for text in ending_texts(summary)]
    parts += [Text(f"grader: {sanitize(detail)}", style="yellow") for detail in summary.details]
    if summary.answer:
        parts.append(Section("answer", Text(sanitize(summary.answer))))
    lines = [
        Text(f"{one_line(claim)}  ").append(one_line(where), style="bold red" if where.isupper() else "dim")
        for claim, where in claims
    ]
    parts += [Section("claims", Group(*lines))] if lines else []
    lines = []
    for ref, reason, quotation in cited_in(summary, scratchpad, quoted):
        line = Text(one_line(ref), style="cyan")
        lines.append(line.append(f"  {one_line(reason)}", style="not cyan dim"))
        lines += [Text(f"  {quotation}")] if quotation else []
    parts += [Section("cites", Group(*lines))] if lines else []
    return Group(*parts, _ruler(trial_figures_text(summary)))


def cited_in(
    summary: TrialSummary, scratchpad: Mapping[str, object], quoted: Mapping[str, str]
) -> list[tuple[str, str, str]]:
    """Return each reference of the answer with its reason and quotations."""
    reasons = scratchpad.get("refs_why")
    reason_of = reasons if isinstance(reasons, Mapping) else {}
    return [(ref, str(reason_of.get(ref, "")), quoted.get(ref, "")) for ref in summary.refs]


def trial_figures_text(summary: TrialSummary) -> str:
    spent = spent_texts(summary.tokens, summary.cost_usd)
    return " · ".join((count_text(summary.step, "step"), span_text(summary.elapsed_ms), *spent))


def quotations(step: StepDone) -> list[tuple[str, str]]:
    """Return each quotation of a step: its path, empty if refused, and its text, as `/docs/a.md, line 3: “30 days”`."""
    quoted = []
    for cited in (citation for citation in step.citations if citation.quote):
        place = f"{cited.spelling or cited.path}{f', line {cited.line}' if cited.line else ''}"
        text = f"{place}: “{cited.quote}”{'' if cited.spelling else ' (refused)'}"
        quoted.append((cited.spelling, one_line(text)))
    return quoted


def quotations_of(steps: Iterable[StepDone]) -> dict[str, str]:
    by_path: dict[str, list[str]] = {}
    for path, text in (quotation for step in steps for quotation in quotations(step)):
        by_path.setdefault(path, []).append(text)
    return {path: " · ".join(dict.fromkeys(texts)) for path, texts in by_path.items()}


def verdict_lines(judged: Judged, known_answer: object) -> Iterator[Text]:
    """Yield a line with the gates' marks and the answer, one with the rejecting gates, and one about rule packs.

    The answer is left out if it is the `known_answer`, which the page shows elsewhere.
    """
    gates = [verdict for verdict in judged.verdicts if verdict.gate]
    line = Text("gates ").append_text(Text(" ").join([_mark(gate) for gate in gates if gate.key.isdecimal()]))
    said, style = ("  accepted despite objections ", "yellow") if judged.protests else ("  accepted ", "green")
    line.append(*((said, style) if judged.accepted else ("  sent back ", "red")))
    answer = "" if judged.answer == known_answer else f": {one_line(judged.answer)}"
    yield line.append(f"{judged.outcome}{answer}", style="dim")
    for gate in gates:
        if gate.result in OBJECTIONS:
            off = ", switched off" if gate.enforcement == "off" else ""
            yield Text("  ").append_text(_mark(gate)).append(f" {gate_or_rule_text(gate.key)}{off}")
    if rules := [verdict for verdict in judged.verdicts if not verdict.gate]:
        line = Text("rules")
        for result, count in Counter(rule.result for rule in rules).items():
            if result not in OBJECTIONS:
                line.append(f" {count}").append(*RESULT_MARKS.get(result, ("?", "")))
        for rule in rules:
            if rule.result in OBJECTIONS:
                line.append(f" {one_line(rule.name)}").append_text(_mark(rule))
        yield line


def _mark(verdict: VerdictRecord) -> Text:
    mark, style = RESULT_MARKS.get(verdict.result, ("?", ""))
    return Text(mark, style=f"{style} strike" if verdict.enforcement == "off" else style)


def scratchpad_changes(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Text]:
    """Yield lines for each key that a step added, changed or removed."""
    for key in sorted({*before, *after}):
        name = one_line(key)
        if key not in after:
            yield Text(f"- {name}", style="red")
        elif key not in before:
            yield Text(f"+ {name} = {_value(after[key])}", style="green")
        elif before[key] != after[key]:
            one, two = before[key], after[key]
            if isinstance(one, Mapping) and isinstance(two, Mapping):
                yield Text(f"~ {name}", style="yellow")
                yield from (Text("  ").append_text(change) for change in scratchpad_changes(one, two))
            else:
                yield Text(f"~ {name}: {_value(one)}", style="yellow")
                yield Text(f"  {' ' * len(name)}→ {_value(two)}", style="yellow")


def _value(value: object) -> str:
    return sanitize(_TO_JSON(value))


def _ruler(title: str) -> Text:
    return Text(f"── {title} {'─' * (36 - len(title))}", style="dim", no_wrap=True, overflow="ellipsis")


def _calls(
    calls: Sequence[CallRecord], *, folded: bool, title: str = "", with_results: bool = True
) -> list[RenderableType]:
    if not calls:
        return []
    parts: list[RenderableType] = []
    for call in calls:
        parts.append(CallLine(call, is_brief=folded))
        if with_results and not folded:
            parts.append(Section("", Text(result_text(call), style="red" if call.error else "dim"), columns=4))
    return [Section(title or count_text(len(calls), "call"), Group(*parts), MOST_FOLDED if folded else None)]


def result_text(call: CallRecord) -> str:
    """Return a call's result, or its error, as text."""
    if call.error is not None:
        return sanitize(f"{call.error.code}: {call.error.message}")
    return fields_text(call.result or {}) or "(nothing)"


def fields_text(fields: Mapping[str, object]) -> str:
    """Return arguments or a result as text: trees drawn, strings verbatim, lists one value per line, the rest as
    JSON."""
    if _is_tree(fields):
        return sanitize(str(Tree(fields)))
    lines = []
    for name, value in fields.items():
        values = value if isinstance(value, list) and value else [value]
        text = "\n".join(item if isinstance(item, str) else _TO_JSON(item) for item in values)
        lines.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text.rstrip()}")
    return sanitize("\n".join(lines))


def _is_tree(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != {"name", "is_dir", "children"}:
        return False
    return isinstance(value["children"], list) and all(map(_is_tree, value["children"]))


def figures_text(step: StepDone) -> str:
    """Return the figures of a step: tokens, cost, time of its script."""
    used = step.usage
    mark = "~" if used.estimated else ""
    parts = [f"{mark}{used.prompt_tokens:,} + {used.completion_tokens:,} tokens"] if used.completion_tokens else []
    parts += [cost_text(step.cost_usd)] if step.cost_usd else []
    parts += [f"script {span_text(step.elapsed_ms)}"] if step.code else ["no script"]
    parts += ["this step was refunded"] if step.refunded else []
    return " · ".join(parts)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a trial: turn one, a step, or the end."""

    title: str
    step: int | None
    """The step on this page; 0 for turn one, None for the end."""
    body: Callable[..., RenderableType]
    """Draws the page, `folded` or not."""
    recorded: Record | None = None
    """The recorded turn one or step."""
    is_rejected: bool = False
    """The gates rejected an answer in this step."""


CLAIMS_RULE: Final = "ask/claims"
"""The rule that traces claims."""


def judged_claims(record: TrialRecord, summary: TrialSummary) -> list[tuple[str, str]]:
    """Return each claim of an answer with what supports it, if the rules of the trial's run trace claims."""
    verdicts = (verdict for step in record.steps for judged in step.verdicts for verdict in judged.verdicts)
    if not any(verdict.name == CLAIMS_RULE for verdict in verdicts):
        return []
    from controlplane.view.asked_answer import claims_of  # It imports rules, which other pages do without.
    from gates.claims import support_text

    return [(claim.text, text) for claim in claims_of(record, summary) if (text := support_text(claim, str))]


def pages_of(journal: Journal, trial_id: str) -> list[Page]:
    """Return the pages of a trial in order. A trial that never started has only the last page."""
    trial = journal.trials[trial_id]
    record, summary = trial.record, trial.summary
    pages: list[Page] = []
    if record.started is not None:
        pages.append(Page("turn one", 0, partial(initial_prompt_page, record), record.opening))
    before: dict[str, object] = {}
    steps = steps_of(record, summary)
    for step in steps:
        is_rejected = any(not judged.accepted for judged in step.verdicts)
        pages.append(Page(f"step {step.step}", step.step, partial(step_page, step, before), step, is_rejected))
        before = dict(step.scratchpad)
    claims = judged_claims(record, summary)
    return [*pages, Page("the end", None, lambda folded: end_page(summary, before, quotations_of(steps), claims))]


def steps_of(record: TrialRecord, summary: TrialSummary) -> tuple[StepDone, ...]:
    """Return a trial's recorded steps; the last one is partial if the journal breaks off inside a step."""
    pending = record.pending
    if pending is None or summary.is_over:
        return tuple(record.steps)
    shown: dict[str, object] = {}
    if pending.replies:
        replied = pending.replies[-1]
        action = action_of(replied.reply, replied.finish_reason)
        shown = {"reply": replied.reply, "usage": replied.usage}
        if not isinstance(action, Unusable):
            shown |= {"state": action.state, "plan": action.plan, "code": action.code}
    cut_off = StepDone(
        trial_id=summary.trial_id,
        step=record.open_step.number,
        calls=tuple(pending.calls),
        citations=tuple(pending.citations),
        verdicts=tuple(pending.submissions),
        error="the journal breaks off here: the step is not done",
    )
    return (*record.steps, cut_off.model_copy(update=shown))


def find_step(journal: Journal, trial_id: str, number: int) -> Page:
    """Return the page of one step; 0 is turn one. Raises `UsageError` if the trial has no such step."""
    pages = pages_of(journal, trial_id)
    if page_of_step := next((page for page in pages if page.step == number), None):
        return page_of_step
    steps = [page.step for page in pages if page.step]
    msg = f"the trial {trial_id} has no step {number}; it has {f'steps 1 to {steps[-1]}' if steps else 'no steps'}"
    raise UsageError(msg)


def step_object(journal: Journal, trial_id: str, number: int) -> object:
    """Return one step as plain JSON types. Raises `UsageError` if the trial has no such step."""
    recorded = find_step(journal, trial_id, number).recorded
    return recorded.model_dump(mode="python") if recorded is not None else None


def trial_object(journal: Journal, trial_id: str) -> object:
    trial = journal.trials[trial_id]
    record = trial.record
    return {
        **trial_result(trial.summary),
        "instruction": record.started.instruction if record.started else "",
        "steps": [step.model_dump(mode="python") for step in steps_of(record, trial.summary)],
    }


def print_page(page: Page) -> None:
    """Print one page, unfolded. Lines in a pipe are not wrapped, so that code can be copied."""
    console = CleanConsole(highlight=False)
    console.print(Group(Text(f"── {page.title} ", style="bold").append("─" * (66 - len(page.title)), style="dim")))
    console.print(page.body(folded=False), soft_wrap=not console.is_terminal)


CTRL_D: Final = "\x04"
KEYS: Final = "n next  p back  r rejection  t next trial  q quit"


def walk_through(journal: Journal, trial_id: str) -> None:
    """Print a folded page for each key, from this trial on, until the user quits. Raises `KeyboardInterrupt`."""
    console, trials = CleanConsole(highlight=False), [trial.trial_id for trial in journal.summary.worst_first]
    place, at, key = trials.index(trial_id), 0, ""
    pages = pages_of(journal, trial_id)
    with _terminal_keys() as read_key:
        while key not in ("q", CTRL_D):
            wanted, otherwise = at, ""
            match key:
                case "n" | "\r" | "\n" | " " | "\x1b[C":
                    wanted, otherwise = at + 1, "this is the end; t: the next trial"
                case "p" | "\x7f" | "\x1b[D":
                    wanted, otherwise = at - 1, "this is the beginning"
                case "r":
                    rejected = (later for later in range(at + 1, len(pages)) if pages[later].is_rejected)
                    wanted, otherwise = next(rejected, -1), "no further rejection in this trial"
                case "t" if place + 1 == len(trials):
                    wanted, otherwise = -1, "this is the last trial"
                case "t":
                    place, wanted = place + 1, 0
                    pages = pages_of(journal, trials[place])
            if 0 <= wanted < len(pages):
                at = wanted
                console.rule(style="dim")
                console.print(_heading(journal, trials, place, pages, at), pages[at].body(folded=True), sep="\n")
            else:
                console.print(otherwise, style="yellow", markup=False)
            click.echo(KEYS, nl=False)
            key = read_key()
            click.echo("\r\x1b[K", nl=False)


@contextlib.contextmanager
def _terminal_keys() -> Iterator[Callable[[], str]]:
    """Return a function that reads each key at once and unechoed, those too that were pressed before it is called."""
    terminal = sys.stdin.fileno()
    modes = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)

    def read_key() -> str:
        tty.setcbreak(terminal, termios.TCSADRAIN)  # again, since a shell resets it when it resumes a job
        return os.read(terminal, 32).decode(errors="replace") or CTRL_D

    try:
        yield read_key
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, modes)


def _heading(journal: Journal, trials: Sequence[str], place: int, pages: Sequence[Page], at: int) -> Text:
    summary, page = journal.summary.trials[trials[place]], pages[at]
    title = Text(one_line(summary.task_id or summary.trial_id), style="bold")
    steps = f" of {max(page.step or 0 for page in pages)}" if page.step else ""
    title.append(f" · {page.title}{steps} · score ", style="not bold")
    title.append(score_text(summary.score), style=score_style(summary.score))
    return title.append(f" · trial {place + 1} of {len(trials)}, worst first", style="not bold dim")
