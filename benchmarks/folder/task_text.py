"""The texts of a task folder, and the placeholders in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_file import (
    KEYS,
    Expected,
    FolderTool,
    FolderToolCall,
    TaskFile,
    data_of_toml,
)
from controlplane.configuration.run_settings import first_fault
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.interface import bounds, error_codes

# Placeholders in the values of a tool: texts from the arguments of a call.
#
# The pattern `end ([0-9]+)` matches the arguments `end 0543`. Then `{1}` is `0543`, the text
# of the first group, and `loan {1} ends` becomes `loan 0543 ends`.

_PLACEHOLDER: Final = re.compile(r"\{(\d)\}")
"""Where a text is inserted: `{1}`."""
_MAX_NUMBER_DIGITS: Final = 16
"""Texts with more digits are not made integers. They are ids, such as account numbers."""


@dataclass(frozen=True, slots=True)
class MatchedTexts:
    """The texts for the placeholders of one call."""

    texts: tuple[str, ...]
    """The first, for `{0}`, is all arguments joined by spaces. The others are of groups."""

    def fill(self, text: str) -> str:
        """Return a text with its placeholders filled: `loan {1} ends` -> `loan 0543 ends`."""

        def text_at(placeholder: re.Match[str]) -> str:
            return self.texts[int(placeholder[1])]

        return _PLACEHOLDER.sub(text_at, text)

    def fill_values(self, value: object) -> Any:
        """Return a value with the placeholders in all its texts filled, also in lists and tables.

        `"loan {1}"` becomes `"loan 12"`, but `"{1}"` alone becomes the integer 12.
        """
        if isinstance(value, dict):
            return {name: self.fill_values(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.fill_values(item) for item in value]
        if not isinstance(value, str):
            return value
        text = self.fill(value)
        is_only_a_placeholder = _PLACEHOLDER.fullmatch(value) is not None
        if is_only_a_placeholder and _is_whole_number(text):
            return int(text)
        return text


def match_arguments(patterns: str | list[str], args: list[str]) -> MatchedTexts | None:
    """Return the texts for the placeholders of a call; None if its patterns do not match.

    `end ([0-9]+)` and `["end", "0543"]` -> the texts `end 0543` and `0543`. One pattern must
    match all arguments, joined by spaces. A list has one pattern for each argument.
    """
    all_arguments = " ".join(args)
    if isinstance(patterns, str):
        patterns = [patterns]
        args = [all_arguments]
    if len(patterns) != len(args):
        return None
    texts = [all_arguments]  # for the placeholder {0}
    for pattern, argument in zip(patterns, args, strict=True):
        match = compiled_pattern(pattern).fullmatch(argument)
        if match is None:
            return None
        for group in match.groups():
            texts.append(group or "")
    return MatchedTexts(tuple(texts))


def _is_whole_number(text: str) -> bool:
    """Return True if a text is a number and not an id such as `0543`."""
    is_digits = text.isascii() and text.isdecimal()
    if not is_digits or len(text) > _MAX_NUMBER_DIGITS:
        return False
    return text == "0" or not text.startswith("0")


# Reads the text of a task.toml, and reports a fault in it with the file and the key.
#
# `loans/task.toml: tool[0].call[2]: a call that deletes its file cannot also set or append`

# Contradictions in a call of a tool in a task.toml.
#
# For example, a call cannot both delete its file and append a text to it, and it cannot name
# `{2}` if the pattern for its arguments has only one group.


@dataclass(frozen=True, slots=True)
class _Contradiction:
    """Values that are valid individually but not together."""

    key: str
    """The key of one of them: `tool[0].call[2]`."""
    text: str
    """The reason, for the user."""


def _contradictions_in_call(
    tool: FolderTool, call: FolderToolCall, key: str
) -> Iterator[_Contradiction]:
    """Yield at most one contradiction about which keys are given, and one about placeholders.

    `key` is the call's key in messages: `tool[0].call[2]`.
    """
    if fault := _fault_of_keys(call):
        yield _Contradiction(key, fault)
    elif call.changes and tool.kind != "changes":
        text = 'a tool that changes files needs kind = "changes"'
        yield _Contradiction(f"{key}.{_changing_key(call)}", text)

    # The placeholder `{2}` stands for the text that the second group of the patterns matches.
    group_count = sum(compiled_pattern(pattern).groups for pattern in call.patterns)
    highest_number = _highest_placeholder(call)
    if highest_number > group_count:
        placeholder = "{" + str(highest_number) + "}"
        text = f"{placeholder} is named, but args has {group_count} groups"
        yield _Contradiction(key, text)


def _fault_of_keys(call: FolderToolCall) -> str:
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


def _changing_key(call: FolderToolCall) -> str:
    """Return the key by which a call changes its file."""
    if call.set:
        return "set"
    if call.append:
        return "append"
    return "delete"


def _highest_placeholder(call: FolderToolCall) -> int:
    """Return the largest placeholder number in a call's values: 2 for `{1}` and `{2}`, else 0."""
    texts = (call.prints, call.error, call.shows, call.file, call.append)
    tables = (call.row, call.when, call.set)
    # All as one text, in which a placeholder is found however deep in a table it is.
    all_values = f"{texts} {tables}"
    numbers = [int(number) for number in _PLACEHOLDER.findall(all_values)]
    return max(numbers, default=0)


# Contradictions in a task.toml: values that are valid individually but not together.
#
# For example, a task cannot have two tools with the same path. Such a task would fail only
# in a trial, so its author is told when the folder is read.


def _contradictions_in(task: TaskFile) -> list[_Contradiction]:
    """Return the contradictions in a task, each with its key: `tool[0].path`."""
    contradictions: list[_Contradiction] = []
    if task.expected is not None:
        contradictions += _contradictions_in_expected(task.expected)
    # A question that `ask` has saved always has the calls of `ask`, and no other tools.
    if task.question and task.tool:
        text = "a question has the calls of `ask`: remove its tools"
        contradictions.append(_Contradiction("question", text))

    paths = set()  # Of the tools so far.
    for tool_number, tool in enumerate(task.tool):
        tool_key = f"tool[{tool_number}]"
        if tool.path in paths:
            text = f"{tool.path} is defined twice"
            contradictions.append(_Contradiction(f"tool[{tool_number}].path", text))
        paths.add(tool.path)
        for call_number, call in enumerate(tool.call):
            call_key = f"{tool_key}.call[{call_number}]"
            contradictions += _contradictions_in_call(tool, call, call_key)
    return contradictions


def _contradictions_in_expected(expected: Expected) -> Iterator[_Contradiction]:
    """Yield the contradictions in the required end of a trial."""
    if not expected.model_fields_set:
        text = "it says nothing of what is right: give outcome, states or another of its keys"
        yield _Contradiction("expected", text)
    has_whole_answer = expected.answer is not None
    has_parts = bool(expected.pattern or expected.contains or expected.lacks)
    if has_whole_answer and has_parts:
        text = "answer is the only right answer: remove pattern, contains and lacks"
        yield _Contradiction("expected.answer", text)
    for number, change in enumerate(expected.change):
        present_keys = [bool(change.file), change.text is not None, change.deleted]
        if present_keys.count(True) != 1:
            text = "exactly one of file, text and deleted must be given"
            yield _Contradiction(f"expected.change[{number}]", text)


_INVALID: Final = error_codes.INVALID_ARGUMENT
_MAX_FAULT_CHARS: Final = 300
"""The most characters of a message of pydantic, which may repeat a long value."""
_MAX_PATH_CHARS_SHOWN: Final = 200


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
            other_errors = error.error_count() - 1
            raise self.fault(
                key, text[:_MAX_FAULT_CHARS], further=other_errors
            ) from None
        contradictions = _contradictions_in(task)
        if contradictions:
            first = contradictions[0]
            raise self.fault(first.key, first.text, further=len(contradictions) - 1)
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
