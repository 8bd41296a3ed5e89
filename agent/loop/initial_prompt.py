"""Turn one: the system prompt derived from what the environment declares, and what its opening calls show."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from agent.evidence.recorder import Recorder
from agent.loop.prompt_texts import filled
from sandbox.interface import CallError, OpeningCall, Operation, Plain, Surface, Tree, signature

MODULES: Final = (
    "json re math datetime time zoneinfo calendar decimal fractions statistics collections itertools functools "
    "operator string textwrap csv io random heapq bisect dataclasses enum typing contextlib copy hashlib base64 "
    "urllib.parse html unicodedata uuid pprint difflib"
)


@dataclass(frozen=True, slots=True)
class InitialPromptLimits:
    """How much turn one may show. What is cut does not count as read."""

    section_chars: int = 12_000
    """Characters of one document or listing."""
    total_chars: int = 120_000
    """Characters of all of them."""


@dataclass(slots=True)
class InitialPrompt:
    """What turn one holds, as pieces whose concatenation is the message."""

    system: str
    pieces: list[str] = field(default_factory=list)
    rules: str = ""


def build_initial_prompt(instruction: str, recorder: Recorder, limits: InitialPromptLimits) -> InitialPrompt:
    """Make the opening calls and return what turn one shows of them. A call that fails shows its failure.

    Where no room is left, calls are not made but named; the rules are read in any case, because the gates need them.
    """
    surface = recorder.surface
    opening = InitialPrompt(system=system_prompt(surface), pieces=[filled("turn_one", instruction=instruction)])
    left = limits.total_chars
    left_out: list[str] = []
    for declared in surface.opening:
        for operation, arguments in _expanded(recorder, declared):
            title = _title(operation, arguments)
            room = min(limits.section_chars, max(left, 0))
            holds_rules = arguments.get(operation.subject) == surface.rules_document and bool(operation.json_field)
            if room == 0 and not holds_rules:
                left_out.append(title)
                continue
            text = _shown(recorder, operation, arguments, room)
            if holds_rules:
                result = recorder.calls[-1].result
                opening.rules = str(result.get(operation.json_field, "")) if result else ""
            cut = len(text) - room
            shown = text[:room]
            left -= len(shown)
            opening.pieces += [f'<section title="{title}">\n', shown]
            opening.pieces.append(_closing(cut, title))
    if left_out:
        opening.pieces.append(f"(Not opened for want of room: {', '.join(left_out)}.)\n\n")
    return opening


def _closing(cut: int, title: str) -> str:
    if cut <= 0:
        return "\n</section>\n\n"
    return f"\n</section>\n({cut} characters of {title} are not shown and do not count as read.)\n\n"


def _title(operation: Operation, arguments: Mapping[str, Plain]) -> str:
    subject = arguments.get(operation.subject)
    args = arguments.get("args")
    words = " ".join(str(each) for each in args) if isinstance(args, list) else ""
    return f"{operation.name} {subject or ''} {words}".strip().replace("  ", " ")


def _expanded(recorder: Recorder, declared: OpeningCall) -> Iterator[tuple[Operation, dict[str, Plain]]]:
    operation = recorder.surface.operation(declared.operation)
    if operation is None:
        return
    if declared.each_of is None:
        yield operation, dict(declared.arguments)
        return
    each = declared.each_of
    try:
        listed = recorder.call(each.operation, each.arguments).get(each.field)
    except CallError:
        return
    for value in listed if isinstance(listed, list) else []:
        subject = value.get("path") if isinstance(value, dict) else value
        if isinstance(value, dict) and value.get("is_dir"):
            continue
        yield operation, {**declared.arguments, operation.subject: subject}


def _shown(recorder: Recorder, operation: Operation, arguments: Mapping[str, Plain], room: int) -> str:
    try:
        result = recorder.call(operation.name, arguments, shown_chars=room)
    except CallError as error:
        return f"(failed: {error})"
    return result_text(operation, result)


def result_text(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a call's result as text: its one text field, its tree, or its fields as JSON."""
    if operation.drawn_as_tree:
        return str(Tree(result))
    if operation.json_field:
        return str(result.get(operation.json_field, ""))
    texts = [str(result[each.name]) for each in operation.fields if isinstance(result.get(each.name), str)]
    texts = [each for each in texts if each and each != result.get(operation.subject)]
    if len(texts) == 1:
        return texts[0]
    return json.dumps(dict(result), ensure_ascii=False)


def system_prompt(surface: Surface) -> str:
    """Return the system prompt for an environment: the same for every trial of one declaration."""
    return filled(
        "system",
        modules=MODULES,
        harness="\n".join(_reference(each) for each in surface.operations),
        executables="\n".join(
            f"- `{each.path}`{': ' + each.summary if each.summary else ''} ({each.kind})"
            for each in surface.executables
        )
        or "(none declared)",
    )


def _reference(operation: Operation) -> str:
    fields = " ".join(
        f".{each.name}" + (f" (of {' '.join('.' + item for item in each.items)})" if each.items else "")
        for each in operation.fields
    )
    parsed = " .json()" if operation.json_field else ""
    return f"- `{signature(operation)}` -> {(fields + parsed).strip() or 'nothing'}: {operation.summary}"
