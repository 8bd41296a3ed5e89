"""What stands on the pages of a trial. All foreign text passes `legible`, so that none of it steers the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.syntax import Syntax
from rich.text import Text

from agent.events import CallRecord, Judged, StepDone
from controlplane.history import TrialRecord
from controlplane.summary import TrialSummary
from controlplane.view.phrases import (
    cost_text,
    count_text,
    legible,
    one_line,
    score_style,
    score_text,
    span_text,
    tokens_text,
)

RESULT_MARKS: Final = {
    "pass": ("✓", "green"),
    "reject": ("✗", "red"),
    "not_applicable": ("·", "dim"),
    "skipped": ("-", "dim"),
}


@dataclass(frozen=True, slots=True)
class Indented:
    """A renderable moved to the right, lines that it folds included. Nothing is added at the ends of lines."""

    content: RenderableType
    columns: int = 2

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the content's lines, each behind its blanks."""
        inner = options.update(width=max(options.max_width - self.columns, 1))
        # Not `render_lines`, which would cut lines that are to stay as long as they are.
        for line in Segment.split_lines(console.render(self.content, inner)):
            yield Segment(" " * self.columns)
            yield from line
            yield Segment.line()


def opening_page(record: TrialRecord, *, folded: bool) -> RenderableType:
    """Return turn one: the instruction, the clock, the calls that were shown with it, and, unfolded, its whole text."""
    started, opened = record.started, record.opening
    assert started is not None
    parts: list[RenderableType] = [
        Text(legible(started.instruction), style="bold"),
        Text(f"trial {one_line(started.trial_id)} · its clock says {started.now}", style="dim"),
    ]
    if opened is None:
        return Group(*parts, Text("the journal breaks off before turn one is ready", style="red"))
    parts += _calls(opened.calls, folded=folded)
    shown = sum(len(each) for each in opened.turn_one)
    if folded:
        words = f"system prompt of {len(opened.system):,} characters, first message of {shown:,} (f shows them)"
        return Group(*parts, *_section("messages"), Text(words, style="dim"))
    parts += [*_section("system prompt"), Indented(Text(legible(opened.system)))]
    parts += [*_section("first message"), Indented(Text(legible("".join(opened.turn_one))))]
    return Group(*parts)


def step_page(step: StepDone, before: Mapping[str, object], *, folded: bool) -> RenderableType:
    """Return one step: state, plan, code, calls, output, scratchpad against `before`, verdicts, tokens and time."""
    parts: list[RenderableType] = []
    if step.state:
        parts.append(Text(legible(step.state), style="bold"))
    parts += [Text(f"  {number}. {one_line(each)}", style="dim") for number, each in enumerate(step.plan, start=1)]
    parts += [verdict_line(each) for each in step.verdicts]
    if step.code:
        # The terminal's own sixteen colours: they can be read on a light ground as on a dark one.
        syntax = Syntax("", "python", theme="ansi_dark", background_color="default", word_wrap=True)
        code = syntax.highlight(legible(step.code).rstrip())
        code.rstrip()
        parts += [*_section("code"), Indented(code)]
    else:
        parts += [*_section("reply"), Indented(Text(legible(step.reply), style="dim"))]
    parts += _calls(step.calls, folded=folded)
    if step.output:
        parts += [*_section("output"), Indented(Text(legible(step.output).rstrip("\n")))]
    if step.error:
        parts += [*_section("error"), Indented(Text(legible(step.error).rstrip("\n"), style="red"))]
    changes = list(scratchpad_changes(before, step.scratchpad))
    if changes:
        parts += [*_section("scratchpad"), *changes]
    # What the script let pass as an exception stands in its error already.
    unseen = [each.message for each in step.verdicts if each.message and each.message.strip() not in step.error]
    for message in unseen:
        parts += [*_section("what the gates said"), Indented(Text(legible(message).rstrip("\n"), style="red"))]
    return Group(*parts, *_section(_figures(step)))


def end_page(summary: TrialSummary, scratchpad: Mapping[str, object]) -> RenderableType:
    """Return how a trial ended: the answer, what it cites and why, the score, the grader's words."""
    head = Text(f"{summary.state}").append(f" · {summary.outcome}" if summary.outcome else "")
    head.append(" · score ").append(score_text(summary.score), style=score_style(summary.score))
    parts: list[RenderableType] = [head]
    parts += [Text(f"reason: {legible(summary.reason)}", style="red")] if summary.reason else []
    parts += [Text(f"grader: {legible(each)}", style="yellow") for each in summary.details]
    if summary.answer:
        parts += [*_section("answer"), Indented(Text(legible(summary.answer)))]
    if summary.refs:
        reasons = scratchpad.get("refs_why")
        known = reasons if isinstance(reasons, Mapping) else {}
        parts += _section("cites")
        for each in summary.refs:
            line = Text(f"  {one_line(each)}", style="cyan")
            parts.append(line.append(f"  {one_line(str(known.get(each, '')))}", style="dim"))
    figures = [f"{summary.step} steps" if summary.step != 1 else "1 step", span_text(summary.elapsed_ms)]
    figures += [tokens_text(summary.tokens)] if summary.tokens else []
    figures += [cost_text(summary.cost_usd)] if summary.cost_usd else []
    return Group(*parts, *_section(" · ".join(figures)))


def verdict_line(judged: Judged) -> Text:
    """Return the gates' marks in one line."""
    line = Text("gates", style="bold")
    for each in judged.verdicts:
        mark, style = RESULT_MARKS.get(each.result, ("?", ""))
        line.append(f" {each.gate or each.name}{mark}", style=style if each.enforced else "dim strike")
    line.append("  accepted " if judged.accepted else "  sent back ", style="green" if judged.accepted else "red")
    return line.append(f"{judged.outcome}: {one_line(judged.answer)[:60]}", style="dim")


def scratchpad_changes(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Text]:
    """Yield lines for each key that a step added, changed or removed."""
    for key in sorted({*before, *after}):
        name = one_line(key)
        if key not in after:
            yield Text(f"  - {name}", style="red")
        elif key not in before:
            yield Text(f"  + {name} = {_value(after[key])}", style="green")
        elif before[key] != after[key]:
            yield from _changed_value(name, before[key], after[key])


def _changed_value(name: str, before: object, after: object) -> Iterator[Text]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield Text(f"  ~ {name}", style="yellow")
        for each in scratchpad_changes(before, after):
            yield Text("  ").append_text(each)
        return
    yield Text(f"  ~ {name}: {_value(before)}", style="yellow")
    yield Text(f"    {' ' * len(name)}→ {_value(after)}", style="yellow")


def _value(value: object) -> str:
    return legible(json.dumps(value, ensure_ascii=False))


def _section(title: str) -> list[RenderableType]:
    return [Text(f"── {title} {'─' * (36 - len(title))}", style="dim", no_wrap=True, overflow="crop")]


def _calls(calls: tuple[CallRecord, ...], *, folded: bool) -> list[RenderableType]:
    if not calls:
        return []
    parts = _section(count_text(len(calls), "call"))
    for each in calls:
        parts.append(_call_line(each))
        if not folded:
            parts.append(Indented(Text(_result(each), style="red" if each.error else "dim"), 6))
    return parts


def _call_line(call: CallRecord) -> Text:
    """Return a call in one line: what was asked, how much came back, how long it took."""
    words = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in call.arguments.items())
    if call.error is not None:
        came, style = f"{call.error.code}", "red"
    elif call.result is None:
        came, style = "cut off", "red"
    else:
        came, style = count_text(_size(call), "character"), "dim"
    tail = f"  {came} · {span_text(call.elapsed_ms)}{' · in verify' if call.in_verify else ''}"
    asked = one_line(f"{call.operation}({words})")
    return Text("  → ", no_wrap=True, overflow="ellipsis").append(asked, style="cyan").append(tail, style=style)


def _size(call: CallRecord) -> int:
    return sum(len(each) if isinstance(each, str) else len(json.dumps(each)) for each in (call.result or {}).values())


def _result(call: CallRecord) -> str:
    """Return what came back, each text of the result as it is, the rest as JSON."""
    if call.error is not None:
        return legible(f"{call.error.code}: {call.error.message}")
    lines = []
    for name, value in (call.result or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text.rstrip()}")
    return legible("\n".join(lines)) or "(nothing)"


def _figures(step: StepDone) -> str:
    used = step.usage
    parts = [f"{used.prompt_tokens:,} + {used.completion_tokens:,} tokens"] if used.completion_tokens else []
    parts += [cost_text(step.cost_usd)] if step.cost_usd else []
    parts += [f"script {span_text(step.elapsed_ms)}"] if step.code else []
    parts += ["this step was refunded"] if step.refunded else []
    return " · ".join(parts)
