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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import click
from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from controlplane.agent.events import (
    CallRecord,
    CallStopped,
    Judged,
    Record,
    StepDone,
    VerdictRecord,
)
from controlplane.agent.reply import Unusable, action_of
from controlplane.errors import JournalDamaged, UsageError
from controlplane.journal.journal_reader import Journal, RecordedTrial, TrialRecord
from controlplane.journal.run_events import tool_schema_from_text
from controlplane.journal.run_summary import TrialSummary, call_key
from controlplane.sandbox.interface import ToolSchema, Tree, bounds
from controlplane.terminal_text import (
    changed_text,
    cost_text,
    count_text,
    ending_texts,
    gate_or_rule_text,
    metrics_text,
    one_line,
    sanitize,
    score_style,
    score_text,
    span_text,
    spent_texts,
)
from controlplane.view.report import CleanConsole
from controlplane.view.run_results import trial_result

OBJECTIONS: Final = ("reject", "overridden")
_TO_JSON: Final = json.JSONEncoder(ensure_ascii=False).encode
INDENT: Final = 2


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page, in the terminal and in the report: a text, and further parts below it."""

    text: str = ""
    style: str = ""
    """A colour of the terminal, `bold`, `dim`, or `code` for Python."""
    title: str = ""
    tail: str = ""
    """What follows the text in its line, less visibly."""
    parts: tuple[Part, ...] = ()
    is_detail: bool = False
    """Folded pages leave the part out."""


def _lines(part: Part, console: Console, width: int, *, folded: bool) -> list[Text]:
    """Return a part as lines. A folded one lacks details, the middle of long text, and ends of lines with a tail."""
    if part.style == "code":
        # The terminal's own sixteen colours are readable on light and dark backgrounds.
        python = Syntax("", "python", theme="ansi_dark", background_color="default", word_wrap=True)
        text = python.highlight(part.text)
        text.rstrip()
    else:
        text = Text(part.text, style=part.style)
    if part.tail and folded:
        text.truncate(max(width - len(part.tail), 10), overflow="ellipsis")
    text.append(part.tail, style="not bold dim")
    inner = width - INDENT
    parts = (each for each in part.parts if not (folded and each.is_detail))
    body = [line for each in parts for line in _lines(each, console, inner, folded=folded)]
    if part.title:
        head, body = (
            [_ruler(part.title)],
            [*(text.wrap(console, inner) if part.text else ()), *body],
        )
    else:
        head = list(text.wrap(console, width))
    if folded and len(body) > bounds.SHOWN_FOLDED_LINES:
        cut = Text(f"… {len(body) - bounds.SHOWN_FOLDED_LINES + 1} lines more", style="dim italic")
        body = [
            *body[: bounds.SHOWN_FOLDED_LINES // 2],
            cut,
            *body[1 - bounds.SHOWN_FOLDED_LINES // 2 :],
        ]
    return [*head, *(Text(" " * INDENT).append_text(line) for line in body)]


def initial_prompt_parts(record: TrialRecord) -> Iterator[Part]:
    """Yield the initial prompt: the instruction, the clock, its calls, and the messages, which hold the results of
    the calls."""
    started, opened = record.started, record.initial_prompt
    assert started is not None
    yield Part(sanitize(started.instruction), "bold")
    clock = f"its clock says {one_line(started.now)}" if started.now else "it has no clock"
    yield Part(f"trial {one_line(started.trial_id)} · {clock}", "dim")
    if opened is None:
        yield Part("no initial prompt is recorded", "dim")
    else:
        yield from _calls(opened.calls, with_results=False)
        for name, text in (
            ("system prompt", opened.system),
            ("first message", "".join(opened.first_message)),
        ):
            yield Part(
                name,
                tail=f"  {len(text):,} characters",
                parts=(Part(sanitize(text), is_detail=True),),
            )


def step_parts(step: StepDone, before: Mapping[str, object]) -> Iterator[Part]:
    """Yield one step: state, plan, gates, code, calls, output, changes of the scratchpad since `before`."""
    if step.state:
        yield Part(sanitize(step.state), "bold")
    yield from (
        Part(f"  {number}. {one_line(item)}", "dim")
        for number, item in enumerate(step.plan, start=1)
    )
    yield from (_verdict_part(judged, step.scratchpad.get("answer")) for judged in step.verdicts)
    if step.code:
        yield Part(sanitize(step.code).strip("\n"), "code", title="code")
    elif step.reply:
        yield Part(sanitize(step.reply), "dim", title="reply")
    yield from _calls(step.calls)
    for name, text, style in (("output", step.output, ""), ("error", step.error, "red")):
        if text:
            yield Part(sanitize(text).rstrip("\n"), style, title=name)
    if changes := tuple(_changes(before, step.scratchpad)):
        yield Part(title="scratchpad", parts=changes)
    for judged in step.verdicts:  # The error shows the messages that the script did not catch.
        if judged.message and judged.message.strip() not in step.error:
            yield Part(sanitize(judged.message).rstrip("\n"), "red", title="what the gates said")


def _held_parts(held: Iterable[CallStopped], summary: TrialSummary) -> Iterator[Part]:
    """Yield the calls that were held, what held them, and what became of them."""
    for event in held:
        by = "by the pre-call check" if event.by == "check" else "for values from read text alone"
        then = summary.stopped.get(call_key(event), event.then)
        yield Part(f"held {by}, then {then}: {sanitize(event.objection)}", "yellow")


def end_parts(
    summary: TrialSummary,
    scratchpad: Mapping[str, object],
    quoted: Mapping[str, str],
    claims: Sequence[tuple[str, str]] = (),
    changed: str = "",
) -> Iterator[Part]:
    """Yield the end of a trial: score, the grader's words, answer, what was changed, claims, citations with reasons and
    quotations."""
    outcome = f" · {one_line(summary.outcome)}" if summary.outcome else ""
    further = f" · {metrics_text(summary.metrics)}" if summary.metrics else ""
    yield Part(
        f"{summary.state}{outcome} · score {score_text(summary.score)}{further}",
        score_style(summary.score),
    )
    yield from (Part(f"reason: {sanitize(text)}", "red") for text in ending_texts(summary))
    yield from (Part(f"grader: {sanitize(detail)}", "yellow") for detail in summary.details)
    if summary.answer:
        yield Part(sanitize(summary.answer), title="answer")
        yield Part(changed)
    if claims:
        marked = [
            Part(
                one_line(claim), "red" if where == "unverified" else "", tail=f"  {one_line(where)}"
            )
            for claim, where in claims
        ]
        yield Part(title="claims", parts=tuple(marked))
    reasons = scratchpad.get("refs_why")
    reason_of = reasons if isinstance(reasons, Mapping) else {}
    cited = [
        Part(
            one_line(ref),
            "cyan",
            tail=f"  {one_line(str(reason_of.get(ref, '')))}".rstrip(),
            parts=(Part(quoted[ref]),) if ref in quoted else (),
        )
        for ref in summary.refs
    ]
    if cited:
        yield Part(title="cites", parts=tuple(cited))


def quotations(steps: Iterable[StepDone]) -> dict[str, str]:
    """Return the accepted quotations of each cited path, as `/docs/a.md, line 3: “30 days”`."""
    by_path: dict[str, list[str]] = {}
    for cited in (
        citation
        for step in steps
        for citation in step.citations
        if citation.quote and citation.spelling
    ):
        line = f", line {cited.line}" if cited.line else ""
        by_path.setdefault(cited.spelling, []).append(
            one_line(f"{cited.spelling}{line}: “{cited.quote}”")
        )
    return {path: " · ".join(dict.fromkeys(texts)) for path, texts in by_path.items()}


def _verdict_part(judged: Judged, known_answer: object) -> Part:
    """Return the gates' marks and the answer, the objections, and, as details, what each gate says.

    The answer is left out if it is the `known_answer`, which the page shows elsewhere.
    """
    gates = [verdict for verdict in judged.verdicts if verdict.gate]
    said, style = (
        ("accepted over objections", "yellow") if judged.overridden else ("accepted", "green")
    )
    said, style = (said, style) if judged.accepted else ("sent back", "red")
    marks = " ".join(_mark(gate) for gate in gates if gate.key.isdecimal())
    answer = "" if judged.answer == known_answer else f": {one_line(judged.answer)}"
    parts = [
        Part(
            _judged_by(verdict),
            "red" if verdict.result == "reject" else "yellow",
            parts=(Part(sanitize(verdict.reason), "dim", is_detail=True),)
            if verdict.reason
            else (),
        )
        for verdict in judged.verdicts
        if verdict.result in OBJECTIONS
    ]
    silent = [verdict for verdict in gates if verdict.reason and verdict.result not in OBJECTIONS]
    if silent:
        lines = "\n".join(
            f"{_judged_by(verdict)}: {sanitize(verdict.reason)}" for verdict in silent
        )
        parts.append(
            Part(
                "· gates with nothing to judge", "dim", parts=(Part(lines, "dim"),), is_detail=True
            )
        )
    return Part(
        f"gates {marks}  {said} {one_line(judged.outcome)}{answer}", style, parts=tuple(parts)
    )


def _judged_by(verdict: VerdictRecord) -> str:
    return f"{_mark(verdict)} {gate_or_rule_text(verdict.key)}{', switched off' * (verdict.enforcement == 'off')}"


def _mark(verdict: VerdictRecord) -> str:
    marks = {"pass": "✓", "reject": "✗", "overridden": "!", "not_applicable": "·", "skipped": "-"}
    return marks.get(verdict.result, "?")


def _changes(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Part]:
    """Yield a line for each key that a step added, changed or removed."""
    for key in sorted({*before, *after}):
        name = one_line(key)
        if key not in after:
            yield Part(f"- {name}", "red")
        elif key not in before:
            yield Part(f"+ {name} = {_value(after[key])}", "green")
        elif before[key] != after[key]:
            one, two = before[key], after[key]
            if isinstance(one, Mapping) and isinstance(two, Mapping):
                yield Part(f"~ {name}", "yellow")
                yield from (
                    replace(change, text=f"  {change.text}") for change in _changes(one, two)
                )
            else:
                yield Part(f"~ {name}: {_value(one)}\n  {' ' * len(name)}→ {_value(two)}", "yellow")


def _value(value: object) -> str:
    return sanitize(_TO_JSON(value))


def _ruler(title: str) -> Text:
    return Text(
        f"── {title} {'─' * (36 - len(title))}", style="dim", no_wrap=True, overflow="ellipsis"
    )


def _calls(calls: Sequence[CallRecord], *, with_results: bool = True) -> Iterator[Part]:
    if calls:
        lines = tuple(_call_part(call, with_result=with_results) for call in calls)
        yield Part(title=count_text(len(calls), "call"), parts=lines)


def _call_part(call: CallRecord, *, with_result: bool) -> Part:
    """Return a call with its arguments in one line, the size of its result, or its error, and its duration."""
    arguments = ", ".join(
        f"{name}={_TO_JSON(value)}" for name, value in call.arguments.items() if value
    )
    sizes = (
        len(field if isinstance(field, str) else json.dumps(field))
        for field in (call.result or {}).values()
    )
    result = count_text(sum(sizes), "character") if call.result is not None else "cut off"
    result = call.error.code if call.error is not None else result
    return Part(
        f"{'→' if call.outer is None else '  ↳'} {one_line(f'{call.operation}({arguments})')}",
        "cyan" if call.result is not None else "red",
        tail=f"  {one_line(result)} · {span_text(call.elapsed_ms)}{' · in verify' * call.in_verify}",
        parts=(
            *(
                Part(f"{name}: {one_line(str(origin))}", "dim")
                for name, origin in sorted(call.origins.items())
            ),
            *(
                (Part(_result_text(call), "red" if call.error else "dim", is_detail=True),)
                if with_result
                else ()
            ),
        ),
    )


def _result_text(call: CallRecord) -> str:
    """Return a call's result, or its error: trees drawn, strings verbatim, lists one value per line, the rest as
    JSON."""
    if call.error is not None:
        return sanitize(f"{call.error.code}: {call.error.message}")
    fields = call.result or {}
    if _is_tree(fields):
        return sanitize(str(Tree(fields)))
    lines = []
    for name, value in fields.items():
        values = value if isinstance(value, list) and value else [value]
        text = "\n".join(item if isinstance(item, str) else _TO_JSON(item) for item in values)
        lines.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text.rstrip()}")
    return sanitize("\n".join(lines)) or "(nothing)"


def _is_tree(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != {"name", "is_dir", "children"}:
        return False
    return isinstance(value["children"], list) and all(map(_is_tree, value["children"]))


def _figures_text(step: StepDone) -> str:
    """Return the figures of a step: tokens, cost, time of its script."""
    used = step.usage
    mark = "~" if used.estimated else ""
    parts = (
        [f"{mark}{used.prompt_tokens:,} + {used.completion_tokens:,} tokens"]
        if used.completion_tokens
        else []
    )
    parts += [cost_text(step.cost_usd)] if step.cost_usd else []
    parts += [f"script {span_text(step.elapsed_ms)}"] if step.code else ["no script"]
    parts += ["not counted against --max-steps"] if step.refunded else []
    return " · ".join(parts)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a trial: the initial prompt, a step, or the end."""

    title: str
    step: int | None
    """The step on this page; 0 for the initial prompt, None for the end."""
    parts: tuple[Part, ...]
    figures: str = ""
    recorded: Record | None = None
    """The recorded initial prompt or step."""

    @property
    def mark(self) -> str:
        """✗ if the gates rejected an answer in this step, else ✓ if they accepted one."""
        verdicts = self.recorded.verdicts if isinstance(self.recorded, StepDone) else ()
        return "✗" if not all(judged.accepted for judged in verdicts) else "✓" if verdicts else ""

    def print(self, console: Console, *, folded: bool) -> None:
        """Print the page. Lines in a pipe are not wrapped, so that code can be copied."""
        width = console.width if console.is_terminal else sys.maxsize
        lines = [
            line for part in self.parts for line in _lines(part, console, width, folded=folded)
        ]
        lines += [_ruler(self.figures)] if self.figures else []
        console.print(Text("\n").join(lines), soft_wrap=True)


def _changed_text(record: TrialRecord) -> str:
    calls = [call for call in record.all_calls if call.result]
    try:
        tool_schema = (
            tool_schema_from_text(record.started.tool_schema)
            if record.started and calls
            else ToolSchema(())
        )
    except JournalDamaged:
        return "changed: not known, since the declaration of the environment is malformed"
    if not any(tool_schema.may_change(call.operation, call.arguments) for call in calls):
        return changed_text(())
    from controlplane.view.asked_answer import (
        present_changes,
    )  # It imports rules, which other pages do without.

    return changed_text(present_changes(record))


def judged_claims(record: TrialRecord, summary: TrialSummary) -> list[tuple[str, str]]:
    """Return each value of an answer to a question with what supports it."""
    if not any(call.operation == "passages" for call in record.all_calls):
        return []  # It asks no files.
    from controlplane.gates.marks import support_text
    from controlplane.view.asked_answer import (
        marker_of_trial,
    )  # It imports rules, which other pages do without.

    marks = marker_of_trial(record, summary).marks(summary.answer)
    return [(mark.value.text, text) for mark in marks if (text := support_text(mark))]


def pages_of(trial: RecordedTrial, record: TrialRecord | None = None) -> list[Page]:
    """Return the pages of a trial in order, from its `record` if that was read already. A trial that never started has
    only the last page."""
    record, summary = record or trial.record, trial.summary
    pages: list[Page] = []
    if record.started is not None:
        pages.append(
            Page(
                "initial prompt",
                0,
                tuple(initial_prompt_parts(record)),
                recorded=record.initial_prompt,
            )
        )
    before: dict[str, object] = {}
    steps = steps_of(record, summary)
    for step in steps:
        parts = (
            *step_parts(step, before),
            *_held_parts(record.stopped.get(step.step, ()), summary),
        )
        pages.append(Page(f"step {step.step}", step.step, parts, _figures_text(step), step))
        before = dict(step.scratchpad)
    end = end_parts(
        summary, before, quotations(steps), judged_claims(record, summary), _changed_text(record)
    )
    spent = spent_texts(summary.spent)
    figures = " · ".join((count_text(summary.step, "step"), span_text(summary.elapsed_ms), *spent))
    return [*pages, Page("the end", None, tuple(end), figures)]


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
    """Return the page of one step; 0 is the initial prompt. Raises `UsageError` if the trial has no such step."""
    pages = pages_of(journal.trials[trial_id])
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
    """Print one page, unfolded."""
    console = CleanConsole(highlight=False)
    console.print(
        Text(f"── {page.title} ", style="bold").append("─" * (66 - len(page.title)), style="dim")
    )
    page.print(console, folded=False)


CTRL_D: Final = "\x04"
KEYS: Final = "n next  p back  r rejection  t next trial  q quit"


def walk_through(journal: Journal, trial_id: str) -> None:
    """Print a folded page for each key, from this trial on, until the user quits. Raises `KeyboardInterrupt`."""
    console, trials = (
        CleanConsole(highlight=False),
        [trial.trial_id for trial in journal.summary.worst_first],
    )
    place, at, key = trials.index(trial_id), 0, ""
    pages = pages_of(journal.trials[trial_id])
    with _terminal_keys() as read_key:
        while key not in ("q", CTRL_D):
            wanted, otherwise = at, ""
            match key:
                case "n" | "\r" | "\n" | " " | "\x1b[C":
                    wanted, otherwise = at + 1, "this is the end; t: the next trial"
                case "p" | "\x7f" | "\x1b[D":
                    wanted, otherwise = at - 1, "this is the beginning"
                case "r":
                    rejected = (
                        later for later in range(at + 1, len(pages)) if pages[later].mark == "✗"
                    )
                    wanted, otherwise = next(rejected, -1), "no further rejection in this trial"
                case "t" if place + 1 == len(trials):
                    wanted, otherwise = -1, "this is the last trial"
                case "t":
                    place, wanted = place + 1, 0
                    pages = pages_of(journal.trials[trials[place]])
            if 0 <= wanted < len(pages):
                at = wanted
                console.rule(style="dim")
                console.print(_heading(journal, trials, place, pages, at))
                pages[at].print(console, folded=True)
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
        tty.setcbreak(
            terminal, termios.TCSADRAIN
        )  # again, since a shell resets it when it resumes a job
        return os.read(terminal, 32).decode(errors="replace") or CTRL_D

    try:
        yield read_key
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, modes)


def _heading(
    journal: Journal, trials: Sequence[str], place: int, pages: Sequence[Page], at: int
) -> Text:
    summary, page = journal.summary.trials[trials[place]], pages[at]
    title = Text(one_line(summary.task), style="bold")
    steps = f" of {max(page.step or 0 for page in pages)}" if page.step else ""
    title.append(f" · {page.title}{steps} · score ", style="not bold")
    title.append(score_text(summary.score), style=score_style(summary.score))
    return title.append(f" · trial {place + 1} of {len(trials)}, worst first", style="not bold dim")
