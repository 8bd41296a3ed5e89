"""Shortens the results of calls for the model, and shows each long text only once in a
conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from controlplane.agent.events import ConversationOpened
from controlplane.agent.prompt_sections import READ_ALL, joined_lines, title_of
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema, Tree, bounds

_FIRST_LINE: Final = "start_line"
_LAST_LINE: Final = "end_line"
"""Parameters with which a call reads a part of a file."""
_DOCUMENT_EXTENSIONS: Final = (".md", ".txt")
_MIN_REFERENCE_CHARS: Final = 200
"""A shorter text is shown again, because a reference to the earlier result would not be much
shorter."""


@dataclass(slots=True)
class ShownResults:
    """Shows results in one conversation, and remembers the texts that were shown.

    Created when the trial starts; `shown` is called for each result.
    """

    keeps_layout: bool
    """True if the trial may write files. Texts are then shown unchanged, with the fields that a
    write needs."""
    _titles: dict[str, str] = field(default_factory=dict)
    """By shown text, the title of the call that returned it."""
    _how_to_read_on: str = _FIRST_LINE

    def take_initial_prompt(self, opened: ConversationOpened, tool_schema: ToolSchema) -> None:
        """Remember the results that the initial prompt shows, and how to read the rest of a
        file."""
        if tool_schema.operation(READ_ALL):
            self._how_to_read_on = f"{_FIRST_LINE}, or all by {READ_ALL}(path)"
        for declared, arguments, text in initial_results(opened, tool_schema):
            self._titles.setdefault(text, title_of(declared, arguments))

    def shown(
        self, operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> str:
        """Return a result as text, or a reference to the earlier result that has the same text."""
        head = ""
        is_file = operation.effect is Effect.READS
        if is_file and isinstance(result.get(operation.json_field), str):
            head = self._fields_beside_text(operation, arguments, result)
            text = self._file_text(operation, arguments, result)
        else:
            text = shown_result(operation, result)

        if len(text) < _MIN_REFERENCE_CHARS:
            return head + text
        earlier_title = self._titles.get(text)
        if earlier_title is not None:
            return f"{head}(unchanged: it stands above as the result of {earlier_title})"
        self._titles[text] = title_of(operation, arguments)
        return head + text

    def _fields_beside_text(
        self, operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> str:
        """Return the fields to show above a file's text, as a line of JSON; empty if there are
        none.

        These are the flags that are true. For a file that may be written, they also include the
        fields that a write needs, such as the file's hash.
        """
        is_document = (
            str(arguments.get(operation.subject)).casefold().endswith(_DOCUMENT_EXTENSIONS)
        )
        may_be_written = self.keeps_layout and not is_document
        declared_names = {declared.name for declared in operation.fields}
        fields = {}
        for name, value in result.items():
            if name not in declared_names or name in (operation.json_field, operation.subject):
                continue
            if value is True or (may_be_written and value is not False):
                fields[name] = value
        return f"{_compact(fields)}\n" if fields else ""

    def _file_text(
        self, operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> str:
        """Return the text of a file, cut to the room, with a note on how to read the rest."""
        text = str(result[operation.json_field])
        parameter_names = {parameter.name for parameter in operation.parameters}
        can_read_parts = {_FIRST_LINE, _LAST_LINE} <= parameter_names
        asks_for_part = any(arguments.get(name) for name in (_FIRST_LINE, _LAST_LINE))
        keeps_blanks = self.keeps_layout or asks_for_part

        # 1. Cut the text to the room. JSON is shown without its blanks, so `shown` may be shorter
        #    than the part of the text that it stands for, which has `shown_source_chars`.
        room = bounds.SHOWN_RESULT_CHARS
        if can_read_parts and not keeps_blanks:
            room = bounds.SHOWN_READ_CHARS
        if keeps_blanks:
            shown = text[:room]
            shown_source_chars = len(shown)
        else:
            shown, shown_source_chars = joined_lines(text, room)

        # 2. Leave out the middle instead if no call can continue from the cut.
        is_cut_here = shown_source_chars < len(text)
        last_line_end = text.rfind("\n", 0, shown_source_chars) + 1
        if is_cut_here and not (can_read_parts and last_line_end > 0):
            shown = cut(text)
            shown_source_chars = len(text)
            is_cut_here = False

        # 3. End with a whole line, so that the next call can continue at the next line.
        if is_cut_here:
            chars_of_cut_line = shown_source_chars - last_line_end
            shown = shown[: len(shown) - chars_of_cut_line]
            shown_source_chars = last_line_end

        # 4. Write how much is left out, by this cut or by the call itself.
        is_cut_by_call = can_read_parts and result.get("truncated") is True
        if is_cut_here or is_cut_by_call:
            rest = "the rest"
            if is_cut_here:
                rest = f"{len(text) - shown_source_chars} characters"
            first_line = max(int(str(arguments.get(_FIRST_LINE) or 0)), 1)
            next_line = first_line + text.count("\n", 0, shown_source_chars)
            shown += f"\n[... {rest} from line {next_line} on: read by {self._how_to_read_on} ...]"
        return shown


def initial_results(
    opened: ConversationOpened, tool_schema: ToolSchema
) -> Iterator[tuple[Operation, dict[str, Any], str]]:
    """Yield the successful calls of the initial prompt: operation, arguments, and the shown
    result."""
    failed_calls = set()
    for made in opened.calls:
        if made.error:
            failed_calls.add((made.operation, json.dumps(made.arguments)))
    text_by_call = {}
    for message in opened.exchange:
        if message.role == "tool":
            text_by_call[message.tool_call_id] = message.content

    for message in opened.exchange:
        for call in message.tool_calls:
            declared = tool_schema.operation(call.name)
            if declared and (call.name, call.arguments) not in failed_calls:
                yield declared, json.loads(call.arguments), text_by_call.get(call.id, "")


def shown_result(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a result as text: its short fields as a line of JSON, then its texts of several
    lines."""
    if operation.drawn_as_tree:
        return cut(str(Tree(result)))
    texts = {}
    short_fields = {}
    for name, value in result.items():
        if isinstance(value, str) and "\n" in value:
            texts[name] = value
        else:
            short_fields[name] = value

    parts = []
    if short_fields:
        parts.append(_compact(short_fields))
    for name, text in texts.items():
        parts.append(text if len(texts) == 1 else f"{name}:\n{text}")
    return cut("\n".join(parts))


def _compact(value: Mapping[str, Plain]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))


def cut(text: str) -> str:
    """Return a text, without its middle if it is too long."""
    if len(text) <= bounds.SHOWN_RESULT_CHARS:
        return text
    half = bounds.SHOWN_RESULT_CHARS // 2
    hidden = len(text) - 2 * half
    notice = f"[... {hidden} characters are left out; ask for less at once ...]"
    return f"{text[:half]}\n{notice}\n{text[-half:]}"
