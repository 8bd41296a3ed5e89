"""`harness`: one method for each declared operation, with results that have attributes."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, cast

from controlplane.sandbox.child.module_facades import facade
from controlplane.sandbox.child.scratchpad import Ask
from controlplane.sandbox.functions import Call, Harness, Outcome
from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.records import CALL_PATH, FoundText, Record, ToolResult, Tree
from controlplane.sandbox.interface.results import parsed_result

JSON_LINES_SUFFIXES: Final = (".jsonl", ".ndjson")
ELSEWHERE: Final = {
    "cite": "scratchpad.cite(path, reason, quote)",
    "uncite": "scratchpad.uncite(path)",
    "submit": "harness.answer(scratchpad, verify)",
    "finish": "harness.answer(scratchpad, verify)",
    "done": "harness.answer(scratchpad, verify)",
    "log": "print(...)",
    "print": "print(...)",
}
"""Names that scripts look for in `harness`, with the real names and places."""

_NAMES_IN_OTHER_TOOLS: Final = {
    "read": "open cat load get",
    "exec": "run call execute shell sql bash",
    "search": "grep query",
    "find": "glob locate",
    "list": "ls dir listdir",
    "delete": "rm remove unlink",
    "write": "save put create",
    "stat": "exists info",
}
"""What other tools call an operation."""


def _operation_for_synonym(name: str) -> str:
    """Return the operation that other tools call `name`; empty if there is none."""
    for operation, synonyms in _NAMES_IN_OTHER_TOOLS.items():
        if name in synonyms.split():
            return operation
    return ""


# The object behind the name


def build_harness(operations: tuple[Operation, ...], ask: Ask, answer: Callable[..., None]) -> Any:
    """Return the object behind the name `harness`: a method for each operation, and `answer`."""
    members: dict[str, Any] = {}
    servers: dict[str, dict[str, Any]] = {}
    tools: dict[str, Any] = {}
    for operation in operations:
        server, dot, tool = operation.name.partition(".")
        if operation.finds:
            tools[operation.name] = _method(operation, f"tools.{operation.name}", ask)
        elif dot:
            # A tool of an MCP server, called as `harness.SERVER.TOOL(...)`.
            tools_of_server = servers.setdefault(server, {})
            tools_of_server[tool] = _method(operation, operation.name, ask)
        else:
            members[operation.name] = _method(operation, operation.name, ask)

    for server, tools_of_server in servers.items():
        members[server] = _namespace(f"harness.{server}", tools_of_server, {})
    members["answer"] = _answer_method(answer)
    if tools:
        members["tools"] = _namespace("harness.tools", tools, {})

    elsewhere = dict(ELSEWHERE)
    for name in tools:
        elsewhere[name] = f"harness.tools.{name}"
    return _namespace("harness", members, elsewhere)


def function_harness(
    operations: tuple[Operation, ...],
    ask: Ask,
    executables: Mapping[str, str],
    known: Sequence[Any] = (),
) -> Harness:
    """Return `harness` for the benchmark's functions: the operations, and calls side by side."""

    def side_by_side(calls: Sequence[Call]) -> list[Outcome]:
        requests = [[operation, dict(arguments)] for operation, arguments in calls]
        outcomes: list[Outcome] = []
        for kind, *parts in ask("calls", [requests]):
            outcomes.append(parts[0] if kind == "ok" else CallError(*parts))
        return outcomes

    members: dict[str, Any] = {}
    for operation in operations:
        if not operation.finds:
            members[operation.name] = _method(operation, operation.name, ask)
    harness = SimpleNamespace(
        **members, executables=executables, known=known, side_by_side=side_by_side
    )
    return cast("Harness", harness)


def _namespace(title: str, members: dict[str, Any], elsewhere: Mapping[str, str]) -> Any:
    """Return an object with these members; for any other name it says which one to use."""
    names = sorted(members)

    def message_for_missing(name: str) -> str:
        suggestion = elsewhere.get(name) or _suggested_member(title, names, name)
        if suggestion:
            return f"{title} has no {name!r}; did you mean {suggestion}? It has {', '.join(names)}."
        return f"{title} has no {name!r}; it has {', '.join(names)}."

    return facade(f"{title}: {', '.join(names)}", members, message_for_missing)


def _suggested_member(title: str, names: list[str], missing_name: str) -> str:
    """Return the member that a script may look for; empty if there is none."""
    operation = _operation_for_synonym(missing_name)
    if operation in names:
        return f"{title}.{operation}"
    similar_names = difflib.get_close_matches(missing_name, names, n=1)
    return f"{title}.{similar_names[0]}" if similar_names else ""


def _answer_method(answer: Callable[..., None]) -> Callable[..., None]:
    """Return `harness.answer`."""

    def submit(scratchpad: Any = None, verify: Any = None) -> None:
        answer(scratchpad, verify)

    text = "Submit the scratchpad's answer. Raises `GateRejection` with what to change."
    return _named(submit, "harness.answer", text)


def _method(operation: Operation, name: str, ask: Ask) -> Callable[..., Any]:
    """Return the method of an operation."""
    kind = result_type(operation, ask)
    parameters = [parameter.name for parameter in operation.parameters]

    def call(*positional: Any, **named: Any) -> Any:
        try:
            result = ask("call", [operation.name, list(positional), named])
            if operation.from_char in parameters[len(positional) :]:
                result = _read_on(result, operation, positional, named, ask)
        except TypeError as error:
            raise TypeError(str(error) + _suggested_parameter(named, parameters)) from None
        return with_attributes(parsed_result(operation, result), kind)

    return _named(call, name, operation.summary)


def _read_on(
    result: dict[str, Any],
    operation: Operation,
    positional: Sequence[Any],
    named: Mapping[str, Any],
    ask: Ask,
) -> dict[str, Any]:
    """Return the result of a read with the parts that were too long for one message."""
    field = operation.json_field
    if operation.from_char in named:
        return result
    texts = [result[field]]
    part = result
    while part["truncated"]:
        rest = {**named, operation.from_char: part["next_char"]}
        part = ask("call", [operation.name, list(positional), rest])
        texts.append(part[field])
    return {**result, field: "".join(texts), "truncated": False, "next_char": 0}


def _suggested_parameter(named: Mapping[str, Any], parameters: list[str]) -> str:
    """Return which parameter is meant by the first argument that is none; may be empty."""
    for name in named:
        if name not in parameters:
            similar_names = difflib.get_close_matches(name, parameters, n=1)
            return f"; did you mean {similar_names[0]!r}?" if similar_names else ""
    return ""


def _named(function: Callable[..., Any], name: str, text: str) -> Callable[..., Any]:
    """Return the function under the name that scripts know."""
    function.__name__ = name
    function.__qualname__ = name
    function.__doc__ = text
    return function


# Results


def result_type(operation: Operation, ask: Ask) -> type[Record]:
    """Return the type of an operation's results."""
    if operation.drawn_as_tree:
        return Tree
    if operation.finds:
        return FoundText
    if {field.name for field in operation.fields} == {"value", CALL_PATH}:
        return ToolResult
    if not operation.json_field:
        return Record

    class Result(Record):
        """A result one of whose fields may hold JSON."""

        __slots__ = ()

        def json(self) -> Any:
            """Return the parsed content. Raises `ValueError` that names the path if it is not JSON."""
            text = whole_text(self, operation, ask)
            try:
                return json.loads(text)
            except ValueError as error:
                place = self.get("path", "the result")
                if str(place).lower().endswith(JSON_LINES_SUFFIXES):
                    msg = (
                        f"{place} holds JSON Lines, a value on each line: "
                        "[json.loads(line) for line in result.content.splitlines() if line.strip()]"
                    )
                    raise ValueError(msg) from None
                reason = " (it was truncated)" if self.get("truncated") else ""
                msg = f"{place} is no JSON{reason}: {error}"
                raise ValueError(msg) from None

    Result.__name__ = "Result"
    Result.__qualname__ = "Result"
    return Result


def whole_text(result: Record, operation: Operation, ask: Ask) -> str:
    """Return the text of a result's JSON field, with the part that was cut off.

    The rest of a file is read where the operation declares how.
    """
    field = operation.json_field
    text: str = result.get(field, "")
    part: Mapping[str, Any] = result
    # A text that was cut off within a line cannot be continued at a line.
    while operation.from_line and part.get("truncated") and part.get(field, "").endswith("\n"):
        next_line = text.count("\n") + 1
        part = ask("call", [operation.name, [result["path"]], {operation.from_line: next_line}])
        text += part[field]
    return text


def with_attributes(value: Any, kind: type[Record] = Record) -> Any:
    """Return a call's plain result with attribute access at every level."""
    kind_below = Tree if kind is Tree else Record
    if type(value) is dict:
        return kind({key: with_attributes(item, kind_below) for key, item in value.items()})
    if type(value) is list:
        return [with_attributes(item, kind_below) for item in value]
    return value
