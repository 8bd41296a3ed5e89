"""`harness`: the object through which a script calls its environment.

It has a method for each declared operation, such as `harness.read(path)`. Results are
mappings whose keys can also be read as attributes. A name or parameter that does not
exist raises an error with a suggestion.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, TypeAlias, cast

from controlplane.sandbox.child.language.module_facades import facade
from controlplane.sandbox.functions import Call as FunctionCall
from controlplane.sandbox.functions import Harness, Outcome
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.records import (
    CALL_PATH,
    FoundText,
    Record,
    ToolResult,
    Tree,
)
from controlplane.sandbox.interface.results import parsed_result

Call: TypeAlias = Callable[[str, list[Any], dict[str, Any]], Any]
"""Makes a call: takes an operation, its positional and its named
arguments, and returns the fields of its result or raises its error."""

JSON_LINES_SUFFIXES: Final = (".jsonl", ".ndjson")
_OTHER_NAMES: Final = {
    "cite": "scratchpad.cite(path, reason, quote)",
    "uncite": "scratchpad.uncite(path)",
    "submit": "harness.answer(scratchpad, verify)",
    "finish": "harness.answer(scratchpad, verify)",
    "done": "harness.answer(scratchpad, verify)",
    "log": "print(...)",
    "print": "print(...)",
}
"""Names that scripts wrongly expect in `harness`, and what to write instead."""

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
"""Names by which other tools know an operation, such as `grep` for `search`."""


def _operation_for_synonym(name: str) -> str:
    """Return the operation that other tools call `name`; empty if there is none."""
    for operation, synonyms in _NAMES_IN_OTHER_TOOLS.items():
        if name in synonyms.split():
            return operation
    return ""


# The object behind the name


def build_harness(
    operations: tuple[Operation, ...], call: Call, answer: Callable[[Any, Any], None]
) -> Any:
    """Return the object behind the name `harness`: a method for each operation, and `answer`."""
    # 1. Make a method for each operation.
    methods: dict[str, Any] = {}
    tools_by_server: dict[str, dict[str, Any]] = {}
    benchmark_functions: dict[str, Any] = {}
    for operation in operations:
        name = operation.name
        server, dot, tool = name.partition(".")
        if operation.is_function:
            # a function of the benchmark, called as `harness.tools.NAME(...)`
            benchmark_functions[name] = _method(operation, f"tools.{name}", call)
        elif dot:  # a tool of an MCP server, called as `harness.SERVER.TOOL(...)`
            tools_of_server = tools_by_server.setdefault(server, {})
            tools_of_server[tool] = _method(operation, name, call)
        else:  # called as `harness.NAME(...)`
            methods[name] = _method(operation, name, call)

    # 2. Put the members of `harness` together.
    members = dict(methods)
    for server, tools_of_server in tools_by_server.items():
        members[server] = _namespace(f"harness.{server}", tools_of_server, {})
    members["answer"] = _answer_method(answer)
    if benchmark_functions:
        members["tools"] = _namespace("harness.tools", benchmark_functions, {})

    # 3. A script that writes `harness.NAME` for a function is told where the function is.
    other_names = dict(_OTHER_NAMES)
    for name in benchmark_functions:
        other_names[name] = f"harness.tools.{name}"
    return _namespace("harness", members, other_names)


def function_harness(
    operations: tuple[Operation, ...],
    call: Call,
    call_all: Callable[[Sequence[FunctionCall]], list[Outcome]],
    executables: Mapping[str, str],
    known: Sequence[Any] = (),
) -> Harness:
    """Return the `harness` that the benchmark's functions get; see `sandbox.functions.Harness`.

    It has the operations except the functions themselves, because no function calls
    another one. `call_all` makes several calls at once. `executables` maps the tools of
    the environment to their summaries. `known` has the reading calls that the trial has
    already made, with their results, so that a function need not make them again.
    """
    members: dict[str, Any] = {}
    for operation in operations:
        if not operation.is_function:
            members[operation.name] = _method(operation, operation.name, call)
    harness = SimpleNamespace(
        **members, executables=executables, known=known, side_by_side=call_all
    )
    return cast("Harness", harness)


def _namespace(
    title: str, members: dict[str, Any], other_names: Mapping[str, str]
) -> Any:
    """Return an object with these members. For any other name, its error suggests a member.

    `other_names` has suggestions for names that scripts often write, by name.
    """
    names = sorted(members)

    def message_for_missing(name: str) -> str:
        suggestion = other_names.get(name) or _suggested_member(title, names, name)
        if suggestion:
            return f"{title} has no {name!r}; did you mean {suggestion}? It has {', '.join(names)}."
        return f"{title} has no {name!r}; it has {', '.join(names)}."

    return facade(f"{title}: {', '.join(names)}", members, message_for_missing)


def _suggested_member(title: str, names: list[str], missing_name: str) -> str:
    """Return the member that a script may have meant; empty if there is none."""
    operation = _operation_for_synonym(missing_name)
    if operation in names:
        return f"{title}.{operation}"
    similar_names = difflib.get_close_matches(missing_name, names, n=1)
    return f"{title}.{similar_names[0]}" if similar_names else ""


def _answer_method(answer: Callable[[Any, Any], None]) -> Callable[..., None]:
    """Return `harness.answer`."""

    def submit(scratchpad: Any = None, verify: Any = None) -> None:
        answer(scratchpad, verify)

    text = "Submit the scratchpad's answer. Raises `GateRejection` with what to change."
    return _named(submit, "harness.answer", text)


def _method(operation: Operation, name: str, call: Call) -> Callable[..., Any]:
    """Return the method of `harness` that makes calls of an operation."""
    kind = result_type(operation, call)
    parameters = [parameter.name for parameter in operation.parameters]

    def call_operation(*positional: Any, **named: Any) -> Any:
        # 1. Get the fields of the result from the parent.
        try:
            fields = call(operation.name, list(positional), named)
            if _asks_for_whole_text(operation, positional, named):
                fields = _with_rest_of_text(fields, operation, positional, named, call)
        except TypeError as error:
            raise TypeError(
                str(error) + _suggested_parameter(named, parameters)
            ) from None

        # 2. Parse the field that an operation declares as JSON (`Operation.parsed_field`).
        result = parsed_result(operation, fields)

        # 3. Make an object of the result's class, with attributes and methods.
        return with_attributes(result, kind)

    return _named(call_operation, name, operation.summary)


def _asks_for_whole_text(
    operation: Operation, positional: Sequence[Any], named: Mapping[str, Any]
) -> bool:
    """Return True if a call reads a text from its first character on.

    The operation must have a parameter for the first character (`from_char`), and the
    call must leave it out.
    """
    if operation.from_char in named:
        return False
    parameters_left_out = operation.parameters[len(positional) :]
    return any(
        parameter.name == operation.from_char for parameter in parameters_left_out
    )


def _with_rest_of_text(
    fields: dict[str, Any],
    operation: Operation,
    positional: Sequence[Any],
    named: Mapping[str, Any],
    call: Call,
) -> dict[str, Any]:
    """Return the result of a read with its whole text, which may be too long for one message.

    While a part is `truncated`, the same call is made again for the next part, which
    begins at the character `next_char`.
    """
    text_field = operation.json_field  # whose text may be JSON, but need not
    texts = [fields[text_field]]
    part = fields
    while part["truncated"]:
        named_for_part = {**named, operation.from_char: part["next_char"]}
        part = call(operation.name, list(positional), named_for_part)
        texts.append(part[text_field])
    return {**fields, text_field: "".join(texts), "truncated": False, "next_char": 0}


def _suggested_parameter(named: Mapping[str, Any], parameters: list[str]) -> str:
    """Return a suggestion for the first unknown argument: `pth` -> `; did you mean 'path'?`."""
    for name in named:
        if name not in parameters:
            similar_names = difflib.get_close_matches(name, parameters, n=1)
            return f"; did you mean {similar_names[0]!r}?" if similar_names else ""
    return ""


def _named(function: Callable[..., Any], name: str, text: str) -> Callable[..., Any]:
    """Give a function the name and the description that scripts see, and return it."""
    function.__name__ = name
    function.__qualname__ = name
    function.__doc__ = text
    return function


# Results


def result_type(operation: Operation, call: Call) -> type[Record]:
    """Return the class of an operation's results.

    It defines how they print and which methods they have. If several cases below apply,
    the first one counts.
    """
    if operation.drawn_as_tree:
        return Tree
    if operation.is_function:
        return FoundText

    # Every tool of an MCP server is declared with exactly these result fields.
    field_names = {field.name for field in operation.fields}
    is_mcp_tool = field_names == {"value", CALL_PATH}
    if is_mcp_tool:
        return ToolResult

    if operation.json_field:
        return _type_with_json(operation, call)
    return Record


def _type_with_json(operation: Operation, call: Call) -> type[Record]:
    """Return the type of results that have a method `json`, which parses one of their fields."""

    class Result(Record):
        """A result with a field that may hold JSON."""

        __slots__ = ()

        def json(self) -> Any:
            """Return the parsed content.

            Raises `ValueError` that names the path if it is not JSON.
            """
            text = whole_text(self, operation, call)
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
    if str(place).lower().endswith(JSON_LINES_SUFFIXES):
        return (
            f"{place} holds JSON Lines, a value on each line: "
            "[json.loads(line) for line in result.content.splitlines() if line.strip()]"
        )
    reason = " (it was truncated)" if result.get("truncated") else ""
    return f"{place} is no JSON{reason}: {error}"


def whole_text(result: Record, operation: Operation, call: Call) -> str:
    """Return the text of a result's JSON field.

    If the text was cut off, and the operation can read from a given line on, reads the
    rest. Only `.json()` does so: the environment cuts such a text off on purpose, to
    show only its beginning.
    """
    field = operation.json_field
    text: str = result.get(field, "")
    part: Mapping[str, Any] = result
    # A text that was cut off within a line cannot be continued at a line.
    while (
        operation.from_line
        and part.get("truncated")
        and part.get(field, "").endswith("\n")
    ):
        next_line = text.count("\n") + 1
        part = call(operation.name, [result["path"]], {operation.from_line: next_line})
        text += part[field]
    return text


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
