"""Writes the reference of the calls that a script can make, for the system prompt.

Each call has a line:

- `read(path) -> .content .truncated .json(): a file`, for an operation of the environment
- `harness.search ...`, for a tool of a server
- `due_date(loan): the day on which a loan ends`, for a function of the benchmark

The executables of one kind share a line, such as
`- changes: /bin/renew prolongs a loan; /bin/close ends one`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from controlplane.sandbox.interface import (
    Operation,
    ResultField,
    ToolSchema,
    bounds,
    signature,
)

# The next texts are for the model.

FUNCTIONS_TITLE: Final = (
    "\n`harness.tools.NAME` gives .value, .notes (doubts); its reads count:"
)
"""Its reads count: the answer may cite the files that the function has read."""
FUNCTION_EXAMPLE: Final = (
    "r = harness.tools.{}; print(r.value, r.notes); scratchpad.cite_all(r)"
)
SERVERS_TITLE: Final = (
    "\nTools of servers. Each returns .text, .data (parsed, if it is structured; its keys are attributes too) and\n"
    ".call_path, which counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)
CALL_PATH_NOTE: Final = "\nA result's .call_path counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
CALL_PATH: Final = "call_path"
"""The result field with the path under which a result can be cited."""
MAX_DESCRIBED_TOOLS: Final = 40
"""If servers have more tools than this, only their names are listed. The first tool of
each server is not counted, so that tools of many small servers are described, too."""


def operation_lines(
    operations: Sequence[Operation], *, is_cited: bool
) -> Iterator[str]:
    """Yield a line for each operation, with a title before each group except the first.

    `is_cited` is true if answers cite their sources. If they don't, the lines leave out the
    result field `call_path`, the path by which a result is cited.
    """
    groups = OperationGroups.of(operations)
    yield from _own_lines(groups.own, is_cited=is_cited)
    yield from _server_lines(groups.tools_by_server)
    yield from _function_lines(groups.functions)


@dataclass(frozen=True, slots=True)
class OperationGroups:
    """The operations that an environment offers, by where they come from."""

    own: list[Operation] = field(default_factory=list)
    """The environment's own operations."""
    tools_by_server: dict[str, list[Operation]] = field(default_factory=dict)
    functions: list[Operation] = field(default_factory=list)
    """The functions of the benchmark."""

    @classmethod
    def of(cls, operations: Sequence[Operation]) -> OperationGroups:
        """Return the groups, without operations that the trial gets only later."""
        groups = cls()
        for operation in operations:
            if not operation.is_later:
                groups._add(operation)
        return groups

    def _add(self, operation: Operation) -> None:
        # A tool of a server is called `server.tool`.
        server, dot, _ = operation.name.partition(".")
        if dot:
            self.tools_by_server.setdefault(server, []).append(operation)
        elif operation.is_function:
            self.functions.append(operation)
        else:
            self.own.append(operation)


# The environment's own operations


def _own_lines(operations: Sequence[Operation], *, is_cited: bool) -> Iterator[str]:
    has_call_path = False
    for operation in operations:
        yield _operation_line(operation, is_cited=is_cited)
        if any(result.name == CALL_PATH for result in operation.fields):
            has_call_path = True
    if is_cited and has_call_path:
        yield CALL_PATH_NOTE


def _operation_line(operation: Operation, *, is_cited: bool) -> str:
    """Return the line about an operation:

    `- list(path='/') -> .entries [.name .path .is_dir]:
    what a folder holds (path: of the folder)`
    """
    results = _results(operation, is_cited=is_cited)
    descriptions: list[str] = []
    for parameter in operation.parameters:
        if parameter.description:
            descriptions.append(f"{parameter.name}: {parameter.description}")

    line = f"- {signature(operation).removeprefix('harness.')}"
    if results:
        line += f" -> {' '.join(results)}"
    line += f": {operation.summary}"
    if descriptions:
        line += f" ({'; '.join(descriptions)})"
    return line


def _results(operation: Operation, *, is_cited: bool) -> list[str]:
    """Return the attributes of a result: `.entries [.name .path]`, `.json()`."""
    results: list[str] = []
    for result in operation.fields:
        if result.name == operation.subject:
            continue  # The script knows the path.
        if result.name == CALL_PATH and not is_cited:
            continue
        # A tree prints as a drawing, so scripts need not read the fields of its items.
        shows_items = not operation.drawn_as_tree
        results.append(_field_text(result, shows_items=shows_items))
    if operation.json_field:
        results.append(".json()")
    return results


def _field_text(result: ResultField, *, shows_items: bool) -> str:
    if not result.items or not shows_items:
        return f".{result.name}"
    items = " ".join(f".{item}" for item in result.items)
    return f".{result.name} [{items}]"


# The functions of the benchmark


def _function_lines(functions: Sequence[Operation]) -> Iterator[str]:
    if not functions:
        return
    yield FUNCTIONS_TITLE
    yield FUNCTION_EXAMPLE.format(_example_call(functions))
    for function in functions:
        call = signature(function).removeprefix("harness.tools.")
        yield f"- {call}: {function.summary}"


def _example_call(functions: Sequence[Operation]) -> str:
    """Return the first declared example of a function, or else a call of the first function."""
    for function in functions:
        if function.example:
            return function.example
    return f"{functions[0].name}(...)"


# The tools of servers


def _server_lines(tools_by_server: Mapping[str, Sequence[Operation]]) -> Iterator[str]:
    """Yield a line for each tool, or, if there are too many, a line of names for each server."""
    if not tools_by_server:
        return
    yield SERVERS_TITLE
    tool_count = sum(len(tools) for tools in tools_by_server.values())
    # The first tool of each server is free, so that tools of many small servers are described.
    counted_tools = tool_count - len(tools_by_server)
    if counted_tools <= MAX_DESCRIBED_TOOLS:
        for tools in tools_by_server.values():
            for tool in tools:
                yield f"- {tool_line(tool)}"
        return

    max_chars = bounds.SHOWN_NAMES_CHARS // len(tools_by_server)
    for server, tools in tools_by_server.items():
        names = _tool_names(tools, max_chars)
        yield (
            f"- `harness.{server}`, described by `.help(tool)`, found by `.help(words)`: {names}"
        )


def tool_line(operation: Operation) -> str:
    """Return the line about a server's tool: its call with types, and its summary."""
    return f"{signature(operation)}: {operation.summary}"


def _tool_names(tools: Sequence[Operation], max_chars: int) -> str:
    """Return the names of a server's tools, such as `list get`. A long list is cut after a name."""
    names = " ".join(tool.name.partition(".")[2] for tool in tools)
    if len(names) <= max_chars:
        return names
    return f"{names[:max_chars].rpartition(' ')[0]} ... and more"


# Executables


def executable_lines(tool_schema: ToolSchema) -> Iterator[str]:
    """Yield a line for each kind of executable: `- reads: /bin/date tells the time; /bin/loans`."""
    texts_by_kind: dict[str, list[str]] = {}
    for executable in tool_schema.executables:
        text = f"{executable.path} {executable.summary}".rstrip()
        texts_by_kind.setdefault(str(executable.kind), []).append(text)
    for kind, texts in texts_by_kind.items():
        yield f"- {kind}: {'; '.join(texts)}"
