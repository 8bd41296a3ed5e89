"""Read the text of a task.toml, and report errors in it with the file and key."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Final, TypeAlias

import re2
from pydantic import ValidationError

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.folder_runtime import PLACEHOLDER
from controlplane.benchmarks.folder.task_file import (
    KEYS,
    Expected,
    TaskFile,
    Tool,
    ToolCall,
)
from controlplane.configuration.run_settings import first_fault
from controlplane.gates.submission import encodable
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.interface import bounds, error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT
MAX_KEY_PARTS: Final = 100
_NAME_IN_KEY: Final = r"""(?:[\w-]+|'[^'\n]*'|"(?:[^"\\\n]|\\.)*")"""
"""`name`, `'a name'` or `"a \\"name\\""`"""
_NAME_AND_DOT: Final = rf"{_NAME_IN_KEY}[ \t]*\.[ \t]*"
LONG_KEY: Final = re2.compile(f"(?:{_NAME_AND_DOT}){{{MAX_KEY_PARTS}}}")
"""The start of a key with too many parts: `a.b.c.d ...`.

`tomllib` takes four times as long for twice as many parts, so a key of a few MB could
keep it busy for hours.
"""
MAX_FAULT_CHARS: Final = 300
"""The most characters of a message of pydantic, which may repeat a long value."""
MAX_PATH_CHARS_SHOWN: Final = 200

Location: TypeAlias = Sequence[str | int]
"""The keys that lead to a value: `("tool", 0, "call", 2)` is `tool[0].call[2]`."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Values that are valid individually but not together."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class TaskText:
    """The text of a task.toml."""

    text: str
    name: str
    """Its name in messages."""
    place: str = ""
    """Its folder, relative to the folder of all tasks, such as `loans/`; empty for that folder."""

    def path_in_folder(self, path: str, location: Location) -> str:
        """Return a path that the file names, relative to the folder of all tasks.

        `location` is the key with the path, for the error message.
        Raises `BenchmarkError` if the path leads out of that folder.
        """
        relative_path = os.path.normpath(f"{self.place}{path}")
        leads_out = relative_path == ".." or relative_path.startswith("../")
        if leads_out or path.startswith("/") or "\0" in path:
            shown_path = path[:MAX_PATH_CHARS_SHOWN]
            raise self.fault(location, f"{shown_path!r} leads out of the folder")
        return relative_path

    def parsed(self) -> TaskFile:
        """Return the task in the text. Raises `BenchmarkError`."""
        data = self._parsed_toml()
        try:
            task = TaskFile.model_validate(data)
        except ValidationError as error:
            # A misspelt key gets the nearest of `KEYS` as a suggestion.
            location, text = first_fault(error, KEYS)
            other_errors = error.error_count() - 1
            raise self.fault(
                location, text[:MAX_FAULT_CHARS], further=other_errors
            ) from None
        contradictions = list(_contradictions(task))
        if contradictions:
            first = contradictions[0]
            raise self.fault(
                first.location, first.text, further=len(contradictions) - 1
            )
        return task

    def _parsed_toml(self) -> Any:
        """Return the data of the text, with dates as ISO texts. Raises `BenchmarkError`."""
        is_long = len(self.text.encode(errors="replace")) > bounds.MOST_TEXT_BYTES
        if is_long or LONG_KEY.search(encodable(self.text)):
            limits = f"{bounds.MOST_TEXT_BYTES:,} bytes, and a key at most {MAX_KEY_PARTS} parts"
            raise BenchmarkError(INVALID, f"{self.name}: it has at most {limits}")
        try:
            data = tomllib.loads(self.text.removeprefix("\ufeff"))
            # Converted to JSON and back: dates become texts, and `nan` and `inf`, which
            # JSON does not have, are refused.
            json_text = json.dumps(data, default=_iso_text, allow_nan=False)
            return json.loads(json_text)
        except tomllib.TOMLDecodeError as error:
            line = _line_of(error) or len(self.text.splitlines())
            msg = f"{self.name}:{line}: this is not TOML: {error}"
            raise BenchmarkError(INVALID, msg) from None
        except (RecursionError, ValueError) as error:
            msg = f"{self.name}: this cannot be read: {error}"
            raise BenchmarkError(INVALID, msg) from None

    def fault(
        self, location: Location, text: str, *, further: int = 0
    ) -> BenchmarkError:
        """Return the error for the value at a location. `further` is the number of other errors.

        The location `("tool", 0, "name")` is shown as `tool[0].name`.
        """
        key = ""
        for part in location:
            shown_part = str(part)[: bounds.SHOWN_VALUE_CHARS]
            if shown_part.isdecimal():
                key += f"[{shown_part}]"
            else:
                key += f".{shown_part}"
        more = f" (and {further} more)" if further else ""
        return BenchmarkError(INVALID, f"{self.name}: {key[1:]}: {text}{more}")


def _iso_text(moment: date | datetime | time) -> str:
    return moment.isoformat()


def _line_of(error: tomllib.TOMLDecodeError) -> int | None:
    """Return the line that an error names: "... (at line 3, column 5)" -> 3; None without one."""
    line = str(error).rpartition("at line ")[2].partition(",")[0]
    return int(line) if line.isdecimal() else None


# Contradictions ---------------------------------------------------------------------------------


def _contradictions(task: TaskFile) -> Iterator[Contradiction]:
    """Yield the contradictions in a task."""
    if task.expected is not None:
        yield from _contradictions_of_end(task.expected)
    if task.question and task.tool:
        yield Contradiction(
            ("question",), "a question has the calls of `ask`: remove its tools"
        )
    paths = set()
    for number, tool in enumerate(task.tool):
        if tool.path in paths:
            yield Contradiction(
                ("tool", number, "path"), f"{tool.path} is defined twice"
            )
        paths.add(tool.path)
        for call_number, call in enumerate(tool.call):
            yield from _contradictions_of_call(
                tool, call, ("tool", number, "call", call_number)
            )


def _contradictions_of_end(expected: Expected) -> Iterator[Contradiction]:
    if expected.answer is not None and (
        expected.pattern or expected.contains or expected.lacks
    ):
        text = "answer is the only right answer: remove pattern, contains and lacks"
        yield Contradiction(("expected", "answer"), text)
    for number, change in enumerate(expected.change):
        present_keys = [bool(change.file), change.text is not None, change.deleted]
        if present_keys.count(True) != 1:
            text = "exactly one of file, text and deleted must be given"
            yield Contradiction(("expected", "change", number), text)


def _contradictions_of_call(
    tool: Tool, call: ToolCall, location: tuple[str | int, ...]
) -> Iterator[Contradiction]:
    """Yield the first contradiction between a call's keys, and one about its placeholders."""
    text = _fault_of_keys(call)
    if text:
        yield Contradiction(location, text)
    elif call.changes and tool.kind != "changes":
        text = 'a tool that changes files needs kind = "changes"'
        yield Contradiction((*location, _changing_key(call)), text)

    group_count = sum(compiled_pattern(pattern).groups for pattern in call.patterns)
    highest = _highest_placeholder(call)
    if highest > group_count:
        text = f"{{{highest}}} is named, but args has {group_count} groups"
        yield Contradiction(location, text)


def _fault_of_keys(call: ToolCall) -> str:
    """Return which keys of a call do not go together; empty if all do."""
    # `file` names the file that `when` looks at, and that `set`, `append` and `delete` change.
    needs_file = bool(call.when or call.set or call.append or call.delete)
    has_file = bool(call.file)
    if has_file != needs_file:
        return "file and set, or file and when, append or delete, need each other: give both"

    if call.delete and (call.set or call.append):
        return "a call that deletes its file cannot also set or append"

    # `row` selects the row of a table that `when` looks at, or that `set` changes.
    is_table = call.file.lower().endswith((".csv", ".tsv"))
    needs_row = is_table and bool(call.set or call.when)
    has_row = bool(call.row)
    if has_row != needs_row:
        return "row goes with set or when on a CSV or TSV file: it selects the row; give both"
    return ""


def _changing_key(call: ToolCall) -> str:
    if call.set:
        return "set"
    if call.append:
        return "append"
    return "delete"


def _highest_placeholder(call: ToolCall) -> int:
    """Return the largest placeholder number in a call's values; 0 if there is none."""
    texts = (call.prints, call.error, call.shows, call.file, call.append)
    tables = (call.row, call.when, call.set)
    all_values = (
        f"{texts} {tables}"  # One text, because a table may contain other tables.
    )
    numbers = [int(number) for number in PLACEHOLDER.findall(all_values)]
    return max(numbers, default=0)
