"""What stands on the pages of a trial. All foreign text passes `sanitize`, so that none of it steers the terminal.

A page can be had whole, or folded: calls without their results, and long sections cut in their middle.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.syntax import Syntax
from rich.text import Text

from agent.events import CallRecord, Judged, StepDone, VerdictRecord
from controlplane.journal.run_summary import TrialSummary
from controlplane.journal.trial_record import TrialRecord
from controlplane.view.display_text import (
    cost_text,
    count_text,
    one_line,
    sanitize,
    score_style,
    score_text,
    span_text,
    tokens_text,
)
from sandbox.interface import Tree

RESULT_MARKS: Final = {
    "pass": ("✓", "green"),
    "reject": ("✗", "red"),
    "not_applicable": ("·", "dim"),
    "skipped": ("-", "dim"),
}
TREE_FIELDS: Final = {"name", "is_dir", "children"}
"""The fields of a result that is a tree of files."""


@dataclass(frozen=True, slots=True)
class Folding:
    """How much of a page is shown."""

    results: bool = True
    """What calls brought back."""
    lines: int | None = None
    """Lines that each of its sections may take; None for all it has."""


UNFOLDED: Final = Folding()


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a page, moved to the right; nothing is added at the ends of its lines."""

    title: str
    content: RenderableType
    limit: int | None = None
    """Lines that it may take below its title; of more, the middle is left out."""
    columns: int = 2

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the title and the content's lines, each behind its blanks."""
        if self.title:
            yield _ruler(self.title)
        inner = options.update(width=max(options.max_width - self.columns, 1), height=None)
        # Not `render_lines`, which would cut lines that are to stay as long as they are.
        lines = list(Segment.split_lines(console.render(self.content, inner)))
        left_out = len(lines) - self.limit + 1 if self.limit is not None and len(lines) > self.limit else 0
        head = (len(lines) - left_out + 1) // 2 if left_out else len(lines)
        for place, line in enumerate(lines):
            if left_out and place == head:
                yield Text(f"{' ' * self.columns}… {left_out} lines more · f unfolds", style="dim italic")
            if not head <= place < head + left_out:
                yield Segment(" " * self.columns)
                yield from line
                yield Segment.line()


@dataclass(frozen=True, slots=True)
class CallLine:
    """A call in one line: what was asked, how much came back, how long it took."""

    call: CallRecord
    is_brief: bool
    """Arguments that are empty or 0 are left out, and what was asked is cut where the line is too long."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the line."""
        call = self.call
        said = {name: value for name, value in call.arguments.items() if value or not self.is_brief}
        words = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in said.items())
        came, style = _came_of(call)
        tail = f"  {came} · {span_text(call.elapsed_ms)}{' · in verify' if call.in_verify else ''}"
        asked = Text(one_line(f"{call.operation}({words})"), style="cyan")
        if self.is_brief:
            asked.truncate(max(options.max_width - len(tail) - 2, 10), overflow="ellipsis")
        yield Text("→ ").append_text(asked).append(tail, style=style)


def initial_prompt_page(record: TrialRecord, folding: Folding) -> RenderableType:
    """Return turn one: the instruction, the clock, the calls that were shown with it, and, where all is, its text."""
    started, opened = record.started, record.opening
    assert started is not None
    parts: list[RenderableType] = [
        Text(sanitize(started.instruction), style="bold"),
        Text(f"trial {one_line(started.trial_id)} · its clock says {started.now}", style="dim"),
    ]
    if opened is None:
        return Group(*parts, Text("the journal breaks off before turn one is ready", style="red"))
    parts += _calls(opened.calls, folding)
    first = "".join(opened.turn_one)
    if folding.results:
        parts.append(Section("system prompt", Text(sanitize(opened.system))))
        parts.append(Section("first message", Text(sanitize(first))))
    else:
        words = f"a system prompt of {len(opened.system):,} characters and a message of {len(first):,} · f unfolds"
        parts.append(Section("messages", Text(words, style="dim")))
    return Group(*parts)


def step_page(step: StepDone, before: Mapping[str, object], folding: Folding) -> RenderableType:
    """Return one step: state, plan, gates, code, calls, output, scratchpad against `before`, tokens and time."""
    limit = folding.lines
    parts: list[RenderableType] = [Text(sanitize(step.state), style="bold")] if step.state else []
    parts += [Text(f"  {number}. {one_line(each)}", style="dim") for number, each in enumerate(step.plan, start=1)]
    for judged in step.verdicts:
        parts += verdict_lines(judged, step.scratchpad.get("answer"))
    if step.code:
        parts.append(Section("code", _highlighted(sanitize(step.code)), limit))
    else:
        parts.append(Section("reply", Text(sanitize(step.reply), style="dim"), limit))
    parts += _calls(step.calls, folding)
    if step.output:
        parts.append(Section("output", Text(sanitize(step.output).rstrip("\n")), limit))
    if step.error:
        parts.append(Section("error", Text(sanitize(step.error).rstrip("\n"), style="red"), limit))
    changes = list(scratchpad_changes(before, step.scratchpad))
    if changes:
        parts.append(Section("scratchpad", Group(*changes), limit))
    # What the script did not catch stands in its error already.
    unseen = [each.message for each in step.verdicts if each.message and each.message.strip() not in step.error]
    for message in unseen:
        parts.append(Section("what the gates said", Text(sanitize(message).rstrip("\n"), style="red"), limit))
    return Group(*parts, _ruler(_figures(step)))


def _highlighted(code: str) -> Text:
    # The terminal's own sixteen colours: they can be read on a light ground as on a dark one.
    text = Syntax("", "python", theme="ansi_dark", background_color="default", word_wrap=True).highlight(code)
    text.rstrip()
    return text


def end_page(summary: TrialSummary, scratchpad: Mapping[str, object]) -> RenderableType:
    """Return how a trial ended: the answer, what it cites and why, the score, the grader's words."""
    head = Text(f"{summary.state}").append(f" · {summary.outcome}" if summary.outcome else "")
    head.append(" · score ").append(score_text(summary.score), style=score_style(summary.score))
    parts: list[RenderableType] = [head]
    parts += [Text(f"reason: {sanitize(summary.reason)}", style="red")] if summary.reason else []
    parts += [Text(f"grader: {sanitize(each)}", style="yellow") for each in summary.details]
    if summary.answer:
        parts.append(Section("answer", Text(sanitize(summary.answer))))
    if summary.refs:
        reasons = scratchpad.get("refs_why")
        known = reasons if isinstance(reasons, Mapping) else {}
        lines = []
        for each in summary.refs:
            line = Text(one_line(each), style="cyan")
            lines.append(line.append(f"  {one_line(str(known.get(each, '')))}", style="not cyan dim"))
        parts.append(Section("cites", Group(*lines)))
    figures = [f"{summary.step} steps" if summary.step != 1 else "1 step", span_text(summary.elapsed_ms)]
    figures += [tokens_text(summary.tokens)] if summary.tokens else []
    figures += [cost_text(summary.cost_usd)] if summary.cost_usd else []
    return Group(*parts, _ruler(" · ".join(figures)))


def verdict_lines(judged: Judged, known_answer: object) -> Iterator[Text]:
    """Yield the gates' marks in one line, and how the rule packs judged in another where there are any.

    The answer stands behind them unless it is the `known_answer`, which is shown elsewhere.
    """
    line = Text("gates")
    for each in judged.verdicts:
        if each.gate:
            line.append(f" {each.gate}").append_text(_mark(each))
    line.append("  accepted " if judged.accepted else "  sent back ", style="green" if judged.accepted else "red")
    answer = "" if judged.answer == known_answer else f": {one_line(judged.answer)}"
    yield line.append(f"{judged.outcome}{answer}", style="dim")
    rules = [each for each in judged.verdicts if not each.gate]
    if rules:
        yield _rules_line(rules)


def _rules_line(rules: Sequence[VerdictRecord]) -> Text:
    counts = Counter(each.result for each in rules)
    line = Text("rules")
    for result, count in counts.items():
        if result != "reject":
            line.append(f" {count}").append(*RESULT_MARKS.get(result, ("?", "")))
    for each in rules:
        if each.result == "reject":
            line.append(f" {one_line(each.name)}").append_text(_mark(each))
    return line


def _mark(verdict: VerdictRecord) -> Text:
    mark, style = RESULT_MARKS.get(verdict.result, ("?", ""))
    return Text(mark, style=style if verdict.enforced else f"{style} strike")


def scratchpad_changes(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Text]:
    """Yield lines for each key that a step added, changed or removed."""
    for key in sorted({*before, *after}):
        name = one_line(key)
        if key not in after:
            yield Text(f"- {name}", style="red")
        elif key not in before:
            yield Text(f"+ {name} = {_value(after[key])}", style="green")
        elif before[key] != after[key]:
            yield from _changed_value(name, before[key], after[key])


def _changed_value(name: str, before: object, after: object) -> Iterator[Text]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield Text(f"~ {name}", style="yellow")
        for each in scratchpad_changes(before, after):
            yield Text("  ").append_text(each)
        return
    yield Text(f"~ {name}: {_value(before)}", style="yellow")
    yield Text(f"  {' ' * len(name)}→ {_value(after)}", style="yellow")


def _value(value: object) -> str:
    return sanitize(json.dumps(value, ensure_ascii=False))


def _ruler(title: str) -> Text:
    return Text(f"── {title} {'─' * (36 - len(title))}", style="dim", no_wrap=True, overflow="ellipsis")


def _calls(calls: tuple[CallRecord, ...], folding: Folding) -> list[RenderableType]:
    if not calls:
        return []
    parts: list[RenderableType] = []
    for each in calls:
        parts.append(CallLine(each, is_brief=not folding.results))
        if folding.results:
            parts.append(Section("", Text(_result(each), style="red" if each.error else "dim"), columns=4))
    return [Section(count_text(len(calls), "call"), Group(*parts), folding.lines)]


def _came_of(call: CallRecord) -> tuple[str, str]:
    """Return what came of a call in two words, and their style."""
    if call.error is not None:
        return call.error.code, "red"
    return ("cut off", "red") if call.result is None else (count_text(_size(call), "character"), "dim")


def _size(call: CallRecord) -> int:
    return sum(len(each) if isinstance(each, str) else len(json.dumps(each)) for each in (call.result or {}).values())


def _result(call: CallRecord) -> str:
    """Return what came back: a tree as one, each text as it is, several values one a line, the rest as JSON."""
    if call.error is not None:
        return sanitize(f"{call.error.code}: {call.error.message}")
    result = call.result or {}
    if _is_tree(result):
        return sanitize(str(Tree(result)))
    lines = []
    for name, value in result.items():
        values = value if isinstance(value, list) and value else [value]
        text = "\n".join(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in values)
        lines.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text.rstrip()}")
    return sanitize("\n".join(lines)) or "(nothing)"


def _is_tree(value: object) -> bool:
    if not isinstance(value, Mapping) or value.keys() != TREE_FIELDS:
        return False
    return isinstance(value["children"], list) and all(map(_is_tree, value["children"]))


def _figures(step: StepDone) -> str:
    used = step.usage
    parts = [f"{used.prompt_tokens:,} + {used.completion_tokens:,} tokens"] if used.completion_tokens else []
    parts += [cost_text(step.cost_usd)] if step.cost_usd else []
    parts += [f"script {span_text(step.elapsed_ms)}"] if step.code else []
    parts += ["this step was refunded"] if step.refunded else []
    return " · ".join(parts)
