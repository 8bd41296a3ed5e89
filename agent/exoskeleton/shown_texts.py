"""Writes results of calls as texts for the model, and shortens long ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.cut_texts import CutText, compact_start
from controlplane.sandbox.interface import Operation, Plain, Tree, bounds

# The parameters with which a call reads a part of a file.
FIRST_LINE_PARAMETER: Final = "start_line"
LAST_LINE_PARAMETER: Final = "end_line"


def shown_result(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a result as text: a line of JSON with the short fields, then each longer text."""
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
        parts.append(compact_json(short_fields))
    for name, text in texts.items():
        parts.append(text if len(texts) == 1 else f"{name}:\n{text}")
    return cut("\n".join(parts))


def compact_json(value: Mapping[str, Plain]) -> str:
    """Return a value as JSON without blanks."""
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))


def cut(text: str) -> str:
    """Return a text, without its middle if it is too long."""
    if len(text) <= bounds.SHOWN_RESULT_CHARS:
        return text
    half = bounds.SHOWN_RESULT_CHARS // 2
    hidden = len(text) - 2 * half
    notice = f"[... {hidden} characters are left out; ask for less at once ...]"
    return f"{text[:half]}\n{notice}\n{text[-half:]}"


# The texts of files


@dataclass(frozen=True, slots=True)
class FileRead:
    """A call that has read a file, or a part of it."""

    operation: Operation
    arguments: Mapping[str, Plain]
    result: Mapping[str, Plain]

    @property
    def path(self) -> str:
        """The path of the file."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def text(self) -> str:
        """The text that it has read."""
        return str(self.result[self.operation.json_field])

    @property
    def can_read_parts(self) -> bool:
        """True if the operation can read some lines of a file."""
        names = {parameter.name for parameter in self.operation.parameters}
        return {FIRST_LINE_PARAMETER, LAST_LINE_PARAMETER} <= names

    @property
    def asks_for_part(self) -> bool:
        """True if the call asks for some lines."""
        return bool(
            self.arguments.get(FIRST_LINE_PARAMETER)
            or self.arguments.get(LAST_LINE_PARAMETER)
        )

    @property
    def first_line(self) -> int:
        """The number of the first line that it has read."""
        return max(int(str(self.arguments.get(FIRST_LINE_PARAMETER) or 0)), 1)

    def other_fields(self) -> dict[str, Plain]:
        """Return the declared fields of the result beside the text and the path."""
        names = {declared.name for declared in self.operation.fields}
        names -= {self.operation.json_field, self.operation.subject}
        return {name: value for name, value in self.result.items() if name in names}


def shown_file(read: FileRead, *, is_exact: bool, how_to_read_on: str) -> str:
    """Return the text of a file. If it is long, cut it, and add how to read the rest.

    With `is_exact`, JSON keeps its indentation. Else it is shown without, to save room.
    """
    text = read.text
    start = _in_whole_lines(read, _start_of(read, is_exact=is_exact))
    hidden = len(text) - start.source_chars  # in characters of the file
    # The call may have read less than the whole file, even if its text is shown in full.
    is_cut_by_call = read.can_read_parts and read.result.get("truncated") is True
    if hidden > 0:
        rest = f"{hidden} characters"
    elif is_cut_by_call:
        rest = "the rest"
    else:
        return start.text
    line = read.first_line + text.count("\n", 0, start.source_chars)
    return (
        f"{start.text}\n[... {rest} from line {line} on: read by {how_to_read_on} ...]"
    )


def _start_of(read: FileRead, *, is_exact: bool) -> CutText:
    """Return as much of a file as may be shown. Its last line may be cut."""
    if is_exact or read.asks_for_part:
        start = read.text[: bounds.SHOWN_RESULT_CHARS]
        return CutText(start, source_chars=len(start))
    if read.can_read_parts:
        return compact_start(read.text, bounds.SHOWN_READ_CHARS)
    return compact_start(read.text, bounds.SHOWN_RESULT_CHARS)


def _in_whole_lines(read: FileRead, start: CutText) -> CutText:
    """Return the start of a file in whole lines, so that a call can read on in the next.

    If no call can read on, return the whole text without its middle.
    """
    text = read.text
    if start.source_chars >= len(text):
        return start
    line_end = text.rfind("\n", 0, start.source_chars) + 1
    has_whole_line = line_end > 0
    if not read.can_read_parts or not has_whole_line:
        return CutText(cut(text), len(text))
    chars_of_cut_line = start.source_chars - line_end
    return CutText(start.text[: len(start.text) - chars_of_cut_line], line_end)
