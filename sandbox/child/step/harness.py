"""`harness`: its methods, the calls that they send, and the results that a script gets."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, TypeAlias, cast

from controlplane.sandbox.child.language.script_modules import facade
from controlplane.sandbox.functions import Call as FunctionCall
from controlplane.sandbox.functions import Harness, Outcome
from controlplane.sandbox.interface.argument_binding import signature
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.records import (
    CALL_PATH,
    FoundText,
    Record,
    ToolResult,
    Tree,
)
from controlplane.sandbox.interface.results import parsed_result

# Reads the rest of a text that was truncated, because it is too long for one result.
#
# An operation has either of two ways to go on reading:
#
# - at a line, by its parameter `Operation.from_line`: the environment cuts such a text off
#   on purpose, to show only its beginning;
# - at a character, by its parameter `Operation.from_char`: the text is too long for a message.

Call: TypeAlias = Callable[[str, list[Any], dict[str, Any]], Any]
"""Makes a call: takes an operation, its positional and its named
arguments, and returns the fields of its result or raises its error."""


def _asks_for_whole_text(
    operation: Operation, positional: list[Any], named: Mapping[str, Any]
) -> bool:
    """Return True if a call reads a text from its first character on.

    The operation has a parameter for the first character. The call must leave it out.
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
    positional: list[Any],
    named: Mapping[str, Any],
    call: Call,
) -> dict[str, Any]:
    """Return the fields of a call's result with its whole text.

    While a part is `truncated`, the same call is made again for the next part, which
    begins at the character `next_char`.
    """
    text_field = operation.json_field
    texts = [fields[text_field]]
    part = fields
    while part["truncated"]:
        further = {**named, operation.from_char: part["next_char"]}
        part = call(operation.name, positional, further)
        texts.append(part[text_field])
    whole_text = "".join(texts)
    return {**fields, text_field: whole_text, "truncated": False, "next_char": 0}


def text_to_the_end(result: Record, operation: Operation, call: Call) -> str:
    """Return the text in a result's JSON field, continued at a line if it was truncated there."""
    field = operation.json_field
    text: str = result.get(field, "")
    part: Mapping[str, Any] = result
    # Only a text that was truncated between two lines can be continued.
    while (
        operation.from_line
        and part.get("truncated")
        and part.get(field, "").endswith("\n")
    ):
        next_line = text.count("\n") + 1
        part = call(operation.name, [result["path"]], {operation.from_line: next_line})
        text += part[field]
    return text


# The classes of the results of calls: how they print, and which methods they have.

_JSON_LINES_SUFFIXES: Final = (".jsonl", ".ndjson")


def _result_type(operation: Operation, call: Call) -> type[Record]:
    """Return the class of an operation's results.

    It defines how they print and which methods they have. If several cases below apply,
    the first one counts. `call` makes calls, by which `json` reads the rest of a long text.
    """
    if operation.drawn_as_tree:
        return Tree
    if operation.is_function:
        return FoundText
    # The results of tools of an MCP server have two fields that no other operation has.
    if {field.name for field in operation.fields} == {"value", CALL_PATH}:
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
        record = kind(value)
        for key, item in value.items():
            if type(item) is dict or type(item) is list:
                dict.__setitem__(record, key, with_attributes(item, kind_below))
        return record
    if type(value) is list:
        return [with_attributes(item, kind_below) for item in value]
    return value


# The methods of `harness`: one for each declared operation, and `answer`.


def _operation_method(
    operation: Operation, name: str, call: Call
) -> Callable[..., Any]:
    """Return the method of `harness` that makes calls of an operation."""
    # The class of its results: it says how they print, and which methods they have.
    kind = _result_type(operation, call)
    parameters = [parameter.name for parameter in operation.parameters]

    def call_operation(*positional: Any, **named: Any) -> Any:
        arguments = list(positional)
        try:
            fields = call(operation.name, arguments, named)
            if operation.from_char and _asks_for_whole_text(
                operation, arguments, named
            ):
                fields = _with_rest_of_text(fields, operation, arguments, named, call)
        except TypeError as error:
            msg = f"{error}{_suggested_parameter(named, parameters)}"
            raise TypeError(msg) from None
        # Parse the field that an operation declares as JSON (`Operation.parsed_field`).
        result = parsed_result(operation, fields)
        return with_attributes(result, kind)

    return _named(call_operation, name, _help_text(operation))


def _help_text(operation: Operation) -> str:
    """Return what `help` prints of an operation: its call, its parameters and its result."""
    lines = [f"{signature(operation)}: {operation.summary}"]
    for parameter in operation.parameters:
        if parameter.description:
            lines.append(f"- {parameter.name}: {parameter.description}")
    fields = " ".join(f".{field.name}" for field in operation.fields)
    if fields:
        lines.append(f"The result has {fields}")
    return "\n".join(lines)


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


# What a script may have meant by a name that `harness` does not have.

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


def _suggested_member(title: str, names: list[str], missing_name: str) -> str:
    """Return the member that a script may have meant; empty if there is none."""
    for operation, synonyms in _NAMES_IN_OTHER_TOOLS.items():
        if operation in names and missing_name in synonyms.split():
            return f"{title}.{operation}"
    similar_names = difflib.get_close_matches(missing_name, names, n=1)
    return f"{title}.{similar_names[0]}" if similar_names else ""


# `harness`: the object through which a script calls its environment.
#
# It has a method for each declared operation, such as `harness.read(path)`. Results are
# mappings whose keys can also be read as attributes. A name or parameter that does not
# exist raises an error with a suggestion.


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
            benchmark_functions[name] = _operation_method(
                operation, f"tools.{name}", call
            )
        elif dot:  # a tool of an MCP server, called as `harness.SERVER.TOOL(...)`
            tools_of_server = tools_by_server.setdefault(server, {})
            tools_of_server[tool] = _operation_method(operation, name, call)
        else:  # called as `harness.NAME(...)`
            methods[name] = _operation_method(operation, name, call)

    def submit(scratchpad: Any = None, verify: Any = None) -> None:
        answer(scratchpad, verify)

    # 2. Put the members of `harness` together.
    members = dict(methods)
    for server, tools_of_server in tools_by_server.items():
        members[server] = _namespace(f"harness.{server}", tools_of_server, {})
    text = "Submit the scratchpad's answer. Raises `GateRejection` with what to change."
    members["answer"] = _named(submit, "harness.answer", text)
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
    already made, so that a function need not make them again: tuples such as
    `("read", {"path": "/a.md"}, {"content": "…"})`.
    """
    members: dict[str, Any] = {}
    for operation in operations:
        if not operation.is_function:
            members[operation.name] = _operation_method(operation, operation.name, call)
    harness = SimpleNamespace(
        **members, executables=executables, known=known, side_by_side=call_all
    )
    return cast("Harness", harness)


def _namespace(
    title: str, members: dict[str, Any], other_names: Mapping[str, str]
) -> Any:
    """Return an object with these members. For any other name, its error suggests a member.

    `harness.done` fails with `harness has no 'done'; did you mean harness.answer(scratchpad,
    verify)? It has ...`, because `other_names` says so: it has suggestions for names that
    scripts often write.
    """
    names = sorted(members)

    def message_for_missing(name: str) -> str:
        suggestion = other_names.get(name) or _suggested_member(title, names, name)
        if suggestion:
            return f"{title} has no {name!r}; did you mean {suggestion}? It has {', '.join(names)}."
        return f"{title} has no {name!r}; it has {', '.join(names)}."

    return facade(f"{title}: {', '.join(names)}", members, message_for_missing)
