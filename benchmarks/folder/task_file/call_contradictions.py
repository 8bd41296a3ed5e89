"""Contradictions in a call of a tool in a task.toml.

For example, a call cannot both delete its file and append a text to it, and it cannot name
`{2}` if the pattern for its arguments has only one group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controlplane.benchmarks.folder.placeholders import PLACEHOLDER
from controlplane.benchmarks.folder.task_file.tool_table import Tool, ToolCall
from controlplane.sandbox.files import compiled_pattern


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Values that are valid individually but not together."""

    key: str
    """The key of one of them: `tool[0].call[2]`."""
    text: str
    """The reason, for the user."""


def contradictions_in_call(
    tool: Tool, call: ToolCall, key: str
) -> Iterator[Contradiction]:
    """Yield at most one contradiction about which keys are given, and one about placeholders.

    `key` is the call's key in messages: `tool[0].call[2]`.
    """
    if fault := _fault_of_keys(call):
        yield Contradiction(key, fault)
    elif call.changes and tool.kind != "changes":
        text = 'a tool that changes files needs kind = "changes"'
        yield Contradiction(f"{key}.{_changing_key(call)}", text)

    # The placeholder `{2}` stands for the text that the second group of the patterns matches.
    group_count = sum(compiled_pattern(pattern).groups for pattern in call.patterns)
    highest_number = _highest_placeholder(call)
    if highest_number > group_count:
        placeholder = "{" + str(highest_number) + "}"
        text = f"{placeholder} is named, but args has {group_count} groups"
        yield Contradiction(key, text)


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
    """Return the key by which a call changes its file."""
    if call.set:
        return "set"
    if call.append:
        return "append"
    return "delete"


def _highest_placeholder(call: ToolCall) -> int:
    """Return the largest placeholder number in a call's values: 2 for `{1}` and `{2}`, else 0."""
    texts = (call.prints, call.error, call.shows, call.file, call.append)
    tables = (call.row, call.when, call.set)
    # All as one text, in which a placeholder is found however deep in a table it is.
    all_values = f"{texts} {tables}"
    numbers = [int(number) for number in PLACEHOLDER.findall(all_values)]
    return max(numbers, default=0)
