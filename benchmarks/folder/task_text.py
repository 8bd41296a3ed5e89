"""The text of a task.toml: its values, and which of them contradict each other."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import re2
from pydantic import ValidationError

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.folder_runtime import PLACEHOLDER, is_table
from controlplane.benchmarks.folder.task_file import (
    KEYS,
    FolderTool,
    FolderToolCall,
    TaskFile,
    data_of_toml,
)
from controlplane.configuration.run_settings import first_fault
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.interface import bounds, error_codes

# Reads the text of a task.toml, and reports a fault in it with the file and the key.
#
# `loans/task.toml: tool[0].call[2]: a call that deletes its file cannot also set or append`

# Contradictions in a call of a tool in a task.toml.
#
# For example, a call cannot both delete its file and append a text to it, and it cannot name
# `{2}` if the pattern for its arguments has only one group.

_Contradiction: TypeAlias = tuple[str, str]
"""The key of one of the values that do not go together, `tool[0].call[2]`, and the reason."""


def _contradictions_in_call(
    tool: FolderTool, call: FolderToolCall, key: str
) -> Iterator[_Contradiction]:
    """Yield at most one contradiction about which keys are given, and one about placeholders.

    `key` is the call's key in messages: `tool[0].call[2]`.
    """
    fault = _fault_of_keys(call)
    if fault:
        yield key, fault
    elif call.changing_key and tool.kind != "changes":
        text = 'a tool that changes files needs kind = "changes"'
        yield f"{key}.{call.changing_key}", text

    # The placeholder `{2}` stands for the text that the second group of the patterns matches.
    group_count = sum(compiled_pattern(pattern).groups for pattern in call.patterns)
    highest_number = _highest_placeholder(call)
    if highest_number > group_count:
        placeholder = "{" + str(highest_number) + "}"
        yield key, f"{placeholder} is named, but args has {group_count} groups"


def _fault_of_keys(call: FolderToolCall) -> str:
    """Return which keys of a call do not go together; empty if all do."""
    # `file` names the file that `when` looks at, and that `set`, `append` and `delete` change.
    needs_file = bool(call.when or call.changing_key)
    if bool(call.file) != needs_file:
        return "file and set, or file and when, append or delete, need each other: give both"

    if call.delete and (call.set or call.append):
        return "a call that deletes its file cannot also set or append"

    # `row` selects the row of a table that `when` looks at, or that `set` changes.
    needs_row = is_table(call.file) and bool(call.set or call.when)
    if bool(call.row) != needs_row:
        return "row goes with set or when on a CSV or TSV file: it selects the row; give both"
    return ""


def _highest_placeholder(call: FolderToolCall) -> int:
    """Return the largest placeholder number in a call's values: 2 for `{1}` and `{2}`, else 0."""
    texts = (call.prints, call.error, call.shows, call.file, call.append)
    tables = (call.row, call.when, call.set)
    # All as one text, in which a placeholder is found however deep in a table it is.
    all_values = f"{texts} {tables}"
    numbers = [int(number) for number in PLACEHOLDER.findall(all_values)]
    return max(numbers, default=0)


# Contradictions in a task.toml: values that are valid individually but not together.
#
# For example, a task cannot have two tools with the same path. Such a task would fail only
# in a trial, so its author is told when the folder is read.


def _contradictions_in(task: TaskFile) -> Iterator[_Contradiction]:
    """Yield the contradictions in a task."""
    expected = task.expected
    if expected is not None:
        if not expected.model_fields_set:
            text = "it says nothing of what is right: give outcome, states or another of its keys"
            yield "expected", text
        has_parts = bool(expected.pattern or expected.contains or expected.lacks)
        if expected.answer is not None and has_parts:
            text = "answer is the only right answer: remove pattern, contains and lacks"
            yield "expected.answer", text
        for number, change in enumerate(expected.change):
            present_keys = [bool(change.file), change.text is not None, change.deleted]
            if present_keys.count(True) != 1:
                text = "exactly one of file, text and deleted must be given"
                yield f"expected.change[{number}]", text

    # A question that `ask` has saved always has the calls of `ask`, and no other tools.
    if task.question and task.tool:
        yield "question", "a question has the calls of `ask`: remove its tools"

    paths = set()  # Of the tools so far.
    for tool_number, tool in enumerate(task.tool):
        tool_key = f"tool[{tool_number}]"
        if tool.path in paths:
            yield f"{tool_key}.path", f"{tool.path} is defined twice"
        paths.add(tool.path)
        for call_number, call in enumerate(tool.call):
            call_key = f"{tool_key}.call[{call_number}]"
            yield from _contradictions_in_call(tool, call, call_key)


_INVALID: Final = error_codes.INVALID_ARGUMENT
_MAX_FAULT_CHARS: Final = 300
"""The most characters of a message of pydantic, which may repeat a long value."""
_MAX_PATH_CHARS_SHOWN: Final = 200
_TOML_TYPES: Final = {"tuple": "valid array", "dictionary": "valid table"}
_PYTHON_TYPE: Final = re2.compile(
    r"\bvalid (tuple|dictionary)\b(?: or instance of \w+)?"
)
"""`valid tuple`, `valid dictionary or instance of Expected`"""


@dataclass(frozen=True, slots=True)
class TaskText:
    """The text of a task.toml."""

    text: str
    name: str
    """Its name in messages."""
    place: str = ""
    """Its folder with a slash at the end, relative to the folder of all tasks: `loans/`.
    Empty if the task.toml is in the folder of all tasks itself."""

    def path_in_folder(self, path: str, key: str) -> str:
        """Return a path that the file names, relative to the folder of all tasks.

        `key` is the key with the path, for the error message: `trees[0]`.
        Raises `BenchmarkError` if the path leads out of that folder.
        """
        relative_path = os.path.normpath(f"{self.place}{path}")
        leads_out = relative_path == ".." or relative_path.startswith("../")
        if leads_out or path.startswith("/") or "\0" in path:
            shown_path = path[:_MAX_PATH_CHARS_SHOWN]
            raise self.fault(key, f"{shown_path!r} leads out of the folder")
        return relative_path

    def parsed(self) -> TaskFile:
        """Return the task in the text. Raises `BenchmarkError`."""
        data = data_of_toml(self.text, self.name)
        try:
            task = TaskFile.model_validate(data)
        except ValidationError as error:
            # A misspelt key gets the nearest of `KEYS` as a suggestion.
            location, text = first_fault(error, KEYS)
            key = _shown_key(location)
            # Say it in the words of TOML, not of Python.
            text = _PYTHON_TYPE.sub(lambda match: _TOML_TYPES[match[1]], text)
            other_errors = error.error_count() - 1
            raise self.fault(
                key, text[:_MAX_FAULT_CHARS], further=other_errors
            ) from None
        contradictions = list(_contradictions_in(task))
        if contradictions:
            key, text = contradictions[0]
            raise self.fault(key, text, further=len(contradictions) - 1)
        return task

    def fault(self, key: str, text: str, *, further: int = 0) -> BenchmarkError:
        """Return the error for a key such as `tool[0].name`. `further` is the number of others."""
        more = f" (and {further} more)" if further else ""
        return BenchmarkError(_INVALID, f"{self.name}: {key}: {text}{more}")


def _shown_key(parts: Sequence[str]) -> str:
    """Return the keys that lead to a value as one: `["tool", "0", "name"]` -> `tool[0].name`."""
    key = ""
    for part in parts:
        shown_part = part[: bounds.SHOWN_VALUE_CHARS]
        if shown_part.isdecimal():
            key += f"[{shown_part}]"
        else:
            key += f".{shown_part}"
    return key.removeprefix(".")
