"""The classes of the results of calls: how they print, and which methods they have."""

from __future__ import annotations

import json
from typing import Any, Final

from controlplane.sandbox.child.step.harness.long_texts import Call, text_to_the_end
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.records import (
    CALL_PATH,
    FoundText,
    Record,
    ToolResult,
    Tree,
)

_JSON_LINES_SUFFIXES: Final = (".jsonl", ".ndjson")


def result_type(operation: Operation, call: Call) -> type[Record]:
    """Return the class of an operation's results.

    It defines how they print and which methods they have. If several cases below apply,
    the first one counts. `call` makes calls, by which `json` reads the rest of a long text.
    """
    if operation.drawn_as_tree:
        return Tree
    if operation.is_function:
        return FoundText

    if _is_mcp_tool(operation):
        return ToolResult
    if operation.json_field:
        return _type_with_json(operation, call)
    return Record


def _is_mcp_tool(operation: Operation) -> bool:
    """Return True for a tool of an MCP server.

    These tools are recognized by the fields of their results, which no other operation has.
    """
    field_names = {field.name for field in operation.fields}
    return field_names == {"value", CALL_PATH}


def _type_with_json(operation: Operation, call: Call) -> type[Record]:
    """Return the type of results that have a method `json`, which parses one of their fields."""

    class Result(Record):
        """A result with a field that may hold JSON."""

        __slots__ = ()

        def json(self) -> Any:
            """Return the parsed content.

            Raises `ValueError` that names the path if it is not JSON.
            """
            text = text_to_the_end(self, operation, call)
            try:
                return json.loads(text)
            except ValueError as error:
                raise ValueError(_json_fault(self, error)) from None

    # Scripts see the name without the function around it.
    Result.__name__ = "Result"
    Result.__qualname__ = "Result"
    return Result


def _json_fault(result: Record, error: ValueError) -> str:
    """Return why the content of a result cannot be parsed as JSON."""
    place = result.get("path", "the result")
    if str(place).lower().endswith(_JSON_LINES_SUFFIXES):
        return (
            f"{place} holds JSON Lines, a value on each line: "
            "[json.loads(line) for line in result.content.splitlines() if line.strip()]"
        )
    reason = " (it was truncated)" if result.get("truncated") else ""
    return f"{place} is no JSON{reason}: {error}"


def with_attributes(value: Any, kind: type[Record] = Record) -> Any:
    """Return a result whose mappings, at every level, are of the type `kind`.

    With it a script writes `result.entries[0].path` for `result["entries"][0]["path"]`.
    """
    kind_below = Tree if kind is Tree else Record
    if type(value) is dict:
        return kind(
            {key: with_attributes(item, kind_below) for key, item in value.items()}
        )
    if type(value) is list:
        return [with_attributes(item, kind_below) for item in value]
    return value
