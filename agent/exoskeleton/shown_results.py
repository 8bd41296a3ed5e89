"""Shortens the results of calls for the model, and shows each long text only once in a
conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from controlplane.agent.events import ConversationOpened
from controlplane.agent.prompt_sections import (
    READ_ALL,
    CutText,
    compact_start,
    title_of,
)
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Plain,
    ToolSchema,
    Tree,
    bounds,
)

# The parameters with which a call reads a part of a file.
_FIRST_LINE: Final = "start_line"
_LAST_LINE: Final = "end_line"

_DOCUMENT_EXTENSIONS: Final = (".md", ".txt")
"""Files that trials only read, so the fields that a write needs are not shown."""
_MIN_REFERENCE_CHARS: Final = 200
"""A shorter text is shown again: a reference to the earlier result would be as long."""


@dataclass(slots=True)
class ShownResults:
    """Shows results in one conversation, and remembers the texts that were shown.

    Created when the trial starts; `shown` is called for each result.
    """

    may_write_files: bool
    """True if the trial may write files. The model then needs their exact texts, and
    the fields that a write needs, such as the hash of the file."""
    _titles: dict[str, str] = field(default_factory=dict)
    """By text, the title of the call that returned it first, such as `read
    /docs/a.md`."""
    _how_to_read_on: str = _FIRST_LINE
    """How the model reads the rest of a file: what follows `read by` in the note."""

    def take_initial_prompt(
        self, opened: ConversationOpened, tool_schema: ToolSchema
    ) -> None:
        """Remember the shown results of initial calls, and how a long file is read
        on."""
        if tool_schema.operation(READ_ALL):
            self._how_to_read_on = f"{_FIRST_LINE}, or all by {READ_ALL}(path)"
        for declared, arguments, text in initial_results(opened, tool_schema):
            self._titles.setdefault(text, title_of(declared, arguments))

    def shown(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return a result as text, or a reference to the earlier result that has the
        same text."""
        is_file = operation.effect is Effect.READS
        if is_file and isinstance(result.get(operation.json_field), str):
            first_line = self._fields_beside_text(operation, arguments, result)
            text = self._file_text(operation, arguments, result)
        else:
            first_line = ""
            text = shown_result(operation, result)

        if len(text) < _MIN_REFERENCE_CHARS:
            return first_line + text
        earlier_title = self._titles.get(text)
        if earlier_title is not None:
            return f"{first_line}(unchanged: it stands above as the result of {earlier_title})"
        self._titles[text] = title_of(operation, arguments)
        return first_line + text

    def _fields_beside_text(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return the fields to show above a file's text, as a line of JSON; empty
        without any.

        True flags are always shown. Other fields, such as the file's hash, are shown
        only if the model may write the file.
        """
        path = str(arguments.get(operation.subject))
        is_document = path.casefold().endswith(_DOCUMENT_EXTENSIONS)
        shows_all_fields = self.may_write_files and not is_document
        declared_names = {declared.name for declared in operation.fields}
        declared_names -= {
            operation.json_field,
            operation.subject,
        }  # the text and the path

        fields: dict[str, Plain] = {}
        for name, value in result.items():
            if name not in declared_names or value is False:
                continue
            if value is True or shows_all_fields:
                fields[name] = value
        return f"{_compact(fields)}\n" if fields else ""

    def _file_text(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return the text of a file. If it is long, cut it, and add how to read the
        rest."""
        text = str(result[operation.json_field])
        parameter_names = {parameter.name for parameter in operation.parameters}
        can_read_parts = {_FIRST_LINE, _LAST_LINE} <= parameter_names
        asks_for_part = any(arguments.get(name) for name in (_FIRST_LINE, _LAST_LINE))

        # 1. Take as much of the text as may be shown. JSON loses its indentation, so `start.text`
        # may be shorter than `start.source_chars`, the part of the file that it shows.
        if self.may_write_files or asks_for_part:
            exact_start = text[: bounds.SHOWN_RESULT_CHARS]
            start = CutText(exact_start, source_chars=len(exact_start))
        elif can_read_parts:
            start = compact_start(text, bounds.SHOWN_READ_CHARS)
        else:
            start = compact_start(text, bounds.SHOWN_RESULT_CHARS)

        # 2. If it is cut, end with a whole line, so that a call can continue at the next line. If no
        # call can, leave out the middle of the text instead.
        is_cut = start.source_chars < len(text)
        last_line_end = (
            text.rfind("\n", 0, start.source_chars) + 1
        )  # 0 if no line is whole
        has_whole_line = last_line_end > 0
        can_continue = can_read_parts and has_whole_line
        if not is_cut:
            shown = start.text
            shown_until = len(text)
        elif can_continue:
            chars_of_cut_line = start.source_chars - last_line_end
            shown = start.text[: len(start.text) - chars_of_cut_line]
            shown_until = last_line_end
        else:
            shown = cut(text)
            shown_until = len(text)

        # 3. Write how much is left out, by this cut or by the call itself.
        is_cut_by_call = can_read_parts and result.get("truncated") is True
        if shown_until < len(text):
            rest = f"{len(text) - shown_until} characters"
        elif is_cut_by_call:
            rest = "the rest"
        else:
            return shown
        first_line = max(int(str(arguments.get(_FIRST_LINE) or 0)), 1)
        next_line = first_line + text.count("\n", 0, shown_until)
        return f"{shown}\n[... {rest} from line {next_line} on: read by {self._how_to_read_on} ...]"


def initial_results(
    opened: ConversationOpened, tool_schema: ToolSchema
) -> Iterator[tuple[Operation, dict[str, Any], str]]:
    """Yield the initial calls that succeeded: operation, arguments, and the shown
    result."""
    # The messages of the exchange do not say if a call failed. The recorded calls do.
    # Both have the same arguments, which are compared as JSON.
    failed_calls = {
        (record.operation, json.dumps(record.arguments))
        for record in opened.calls
        if record.error
    }
    text_by_call_id = {
        message.tool_call_id: message.content
        for message in opened.exchange
        if message.role == "tool"
    }
    for message in opened.exchange:
        for call in message.tool_calls:
            declared = tool_schema.operation(call.name)
            if declared and (call.name, call.arguments) not in failed_calls:
                yield (
                    declared,
                    json.loads(call.arguments),
                    text_by_call_id.get(call.id, ""),
                )


def shown_result(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a result as text: a line of JSON with the short fields, then each longer
    text."""
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
