"""Results as a model reads them: short, and shown once; a repeated result is replaced by a reference."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from agent.events.trial_events import ConversationOpened
from agent.opening.sections import READ_ALL, joined_lines, title_of
from sandbox.interface import Effect, Operation, Plain, Surface, Tree

LONGEST_RESULT: Final = 12_000
"""Max characters of one result that a model is shown."""
LONGEST_DOCUMENT: Final = 4_000
"""Max characters of a document that is read whole; further lines can be asked for."""
LONGEST_RECORD: Final = 800
"""Max characters of any other file. Longer files are tables or lists, which are better searched than read."""
_DOCUMENTS: Final = (".md", ".txt")
SHORTEST_REPEATED: Final = 200
"""Min characters of a result that is worth a reference."""
_FROM: Final = "start_line"
_TO: Final = "end_line"
"""Parameters of a reading call that reads a part of a file."""


@dataclass(slots=True)
class ShownResults:
    """The results that one conversation shows."""

    keeps_layout: bool
    """True if files may be written: their texts are shown unchanged, with the fields that a write needs."""
    _shown: dict[str, str] = field(default_factory=dict)
    """The call that has shown a text, by the text."""
    _reads_on: str = _FROM

    def take_opening(self, opened: ConversationOpened, surface: Surface) -> None:
        """Remember what turn one shows, and how reading a file is continued."""
        self._reads_on = f"{_FROM}, or all by {READ_ALL}(path)" if surface.operation(READ_ALL) else _FROM
        shown = {message.tool_call_id: message.content for message in opened.exchange if message.role == "tool"}
        for call in (call for message in opened.exchange for call in message.tool_calls):
            declared = surface.operation(call.name)
            if declared is not None:
                self._shown.setdefault(shown.get(call.id, ""), title_of(declared, json.loads(call.arguments)))

    def shown(self, operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]) -> str:
        """Return a result, or a reference to the place above that shows it."""
        is_file = operation.effect is Effect.READS and isinstance(result.get(operation.json_field), str)
        head, text = self._file(operation, arguments, result) if is_file else ("", shown_result(operation, result))
        if len(text) < SHORTEST_REPEATED:
            return head + text
        above = self._shown.get(text)
        if above is not None:
            return f"{head}(unchanged: it stands above as the result of {above})"
        self._shown[text] = title_of(operation, arguments)
        return head + text

    def _file(
        self, operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> tuple[str, str]:
        """Return the fields to show beside a file's text, and the text."""
        text = str(result[operation.json_field])
        is_document = str(arguments.get(operation.subject)).casefold().endswith(_DOCUMENTS)
        if self.keeps_layout and not is_document:
            declared = {item.name for item in operation.fields} - {operation.json_field, operation.subject}
            beside = {name: value for name, value in result.items() if name in declared and value is not False}
        else:
            beside = {key: value for key, value in result.items() if value is True or _is_other(key, value, arguments)}
        head = f"{_compact(beside)}\n" if beside else ""
        is_part = any(arguments.get(end) for end in (_FROM, _TO))
        takes_parts = {_FROM, _TO} <= {parameter.name for parameter in operation.parameters}
        room = LONGEST_DOCUMENT if is_document else LONGEST_RECORD
        if is_part or not takes_parts or self.keeps_layout:
            room = LONGEST_RESULT
        first_line = max(int(str(arguments.get(_FROM) or 0)), 1) if takes_parts else 0
        shown, told = _beginning(text, room, by_line=takes_parts, joined=not (self.keeps_layout or is_part))
        if told < len(text) or (takes_parts and result.get("truncated") is True):
            left_out = f"{len(text) - told} characters" if told < len(text) else "the rest"
            line = first_line + text.count("\n", 0, told)
            shown += f"\n[... {left_out} from line {line} on: read by {self._reads_on} ...]"
        return head, shown


def _is_other(name: str, value: Plain, arguments: Mapping[str, Plain]) -> bool:
    """Say whether a field has another value than the call gave it, such as the path behind an alias."""
    return name in arguments and value != arguments[name]


def _beginning(text: str, room: int, *, by_line: bool, joined: bool) -> tuple[str, int]:
    """Return the beginning of a file's text in whole lines, as far as there is room, and its length in characters.

    If lines cannot be asked for, a long text is shown without its middle, and counts as shown in full.
    """
    shown, told = joined_lines(text, room) if joined else (text[:room], min(len(text), room))
    if told >= len(text):
        return shown, told
    if not (by_line and "\n" in text[:told]):
        return cut(text), len(text)
    if joined:
        return shown, told
    told = text.rfind("\n", 0, told) + 1
    return text[:told], told


def shown_result(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a result as a model reads it: short fields as JSON, long texts below, unchanged."""
    if operation.drawn_as_tree:
        return cut(str(Tree(result)))
    texts = {name: value for name, value in result.items() if isinstance(value, str) and "\n" in value}
    rest = {name: value for name, value in result.items() if name not in texts}
    parts = [_compact(rest)] if rest else []
    parts += [text if len(texts) == 1 else f"{name}:\n{text}" for name, text in texts.items()]
    return cut("\n".join(parts))


def _compact(value: Mapping[str, Plain]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))


def cut(text: str) -> str:
    """Return a text without its middle if it is too long."""
    if len(text) <= LONGEST_RESULT:
        return text
    half = LONGEST_RESULT // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters are left out; ask for less at once ...]\n{text[-half:]}"
