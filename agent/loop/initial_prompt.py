"""Turn one: the system prompt derived from what the environment declares, and what its opening calls show."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Executor, wait
from dataclasses import dataclass, field
from typing import Final

from agent.evidence.recorder import CallUnderWay, Recorder
from agent.loop.prompt_texts import filled
from sandbox.interface import CallError, EachOf, OpeningCall, Operation, Plain, Surface, Tree, signature

MODULES: Final = (
    "json re math datetime time zoneinfo calendar decimal fractions statistics collections itertools functools "
    "operator string textwrap csv io random heapq bisect dataclasses enum typing contextlib copy hashlib base64 "
    "urllib.parse html unicodedata uuid pprint difflib"
)

AT_A_TIME: Final = 8
"""How many of turn one's calls are under way at a time, if the environment's reading calls may be."""


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


def build_initial_prompt(
    instruction: str, recorder: Recorder, limits: InitialPromptLimits, readers: Executor
) -> InitialPrompt:
    """Make the opening calls and return what turn one shows of them. A call that fails shows its failure.

    Where no room is left, calls are not made but named; the rules are read in any case, because the gates need them.
    `readers` makes the calls that only read, if the environment says that they may be made side by side.
    """
    surface = recorder.surface
    prompt = InitialPrompt(system=system_prompt(surface), pieces=[filled("turn_one", instruction=instruction)])
    sections = _Sections(recorder, limits, prompt, readers if surface.reads_side_by_side else None)
    try:
        for declared in surface.opening:
            sections.add(declared)
        sections.finish()
    finally:
        sections.await_calls()
    return prompt


@dataclass(frozen=True, slots=True)
class _Section:
    """A call whose result is to be shown."""

    operation: Operation
    title: str
    holds_rules: bool
    call: CallUnderWay


class _Sections:
    """Makes the opening calls, up to `AT_A_TIME` of them side by side, and shows what they return in their order."""

    def __init__(
        self, recorder: Recorder, limits: InitialPromptLimits, prompt: InitialPrompt, executor: Executor | None
    ) -> None:
        self._recorder = recorder
        self._section_chars = limits.section_chars
        self._left = limits.total_chars
        self._prompt = prompt
        self._executor = executor
        self._most = 1 if executor is None else AT_A_TIME
        self._sent: list[CallUnderWay] = []
        self._under_way: deque[_Section] = deque()
        self._left_out: list[str] = []

    def add(self, declared: OpeningCall) -> None:
        """Make the declared call, or one for each value that its listing gives."""
        operation = self._recorder.surface.operation(declared.operation)
        if operation is None:
            return
        if declared.each_of is None:
            self._add(operation, dict(declared.arguments))
            return
        for subject in self._listed(declared.each_of):
            self._add(operation, {**declared.arguments, operation.subject: subject})

    def finish(self) -> None:
        """Show what is still under way, and name what was left out."""
        self._show_until(0)
        if self._left_out:
            self._prompt.pieces.append(f"(Not opened for want of room: {', '.join(self._left_out)}.)\n\n")

    def await_calls(self) -> None:
        """Wait for the calls that nobody asks about any more because the trial is left."""
        wait([call.begun for call in self._sent if call.begun])

    def _listed(self, each: EachOf) -> list[Plain]:
        call = self._send(each.operation, each.arguments)
        self._show_until(0)
        try:
            listed = self._recorder.receive(call).get(each.field)
        except CallError:
            return []
        values = listed if isinstance(listed, list) else []
        return [
            value.get("path") if isinstance(value, dict) else value
            for value in values
            if not (isinstance(value, dict) and value.get("is_dir"))
        ]

    def _add(self, operation: Operation, arguments: Mapping[str, Plain]) -> None:
        title = _title(operation, arguments)
        rules_document = self._recorder.surface.rules_document
        holds_rules = arguments.get(operation.subject) == rules_document and bool(operation.json_field)
        # What is under way may yet fill its sections: only the room beyond is certain.
        while self._under_way and self._left - len(self._under_way) * self._section_chars <= 0:
            self._show_first()
        if not holds_rules and min(self._section_chars, self._left) <= 0:
            self._left_out.append(title)
            return
        self._under_way.append(_Section(operation, title, holds_rules, self._send(operation.name, arguments)))
        if self._recorder.surface.may_change(operation.name, arguments):
            self._show_until(0)

    def _send(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay:
        """Begin a call: beside others if it only reads, else once they are done."""
        only_reads = not self._recorder.surface.may_change(operation, arguments)
        self._show_until(self._most - 1 if only_reads else 0)
        self._sent.append(self._recorder.send(operation, arguments, executor=self._executor if only_reads else None))
        return self._sent[-1]

    def _show_until(self, count: int) -> None:
        """Show the earliest sections until at most `count` calls are under way."""
        while len(self._under_way) > count:
            self._show_first()

    def _show_first(self) -> None:
        section = self._under_way.popleft()
        operation, title = section.operation, section.title
        room = min(self._section_chars, max(self._left, 0))
        try:
            result = self._recorder.receive(section.call, shown_chars=room)
        except CallError as error:
            text = f"(failed: {error})"
        else:
            text = result_text(operation, result)
            if section.holds_rules:
                self._prompt.rules = str(result.get(operation.json_field, ""))
        shown = text[:room]
        self._left -= len(shown)
        self._prompt.pieces += [f'<section title="{title}">\n', shown, _closing(len(text) - room, title)]


def _closing(cut: int, title: str) -> str:
    if cut <= 0:
        return "\n</section>\n\n"
    return f"\n</section>\n({cut} characters of {title} are not shown and do not count as read.)\n\n"


def _title(operation: Operation, arguments: Mapping[str, Plain]) -> str:
    subject = arguments.get(operation.subject)
    args = arguments.get("args")
    words = " ".join(str(each) for each in args) if isinstance(args, list) else ""
    return f"{operation.name} {subject or ''} {words}".strip().replace("  ", " ")


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
