"""The lines of the system prompt about the calls that a script can make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.loop.prompt_files import FOLDER, read_text
from controlplane.sandbox.interface import (
    Operation,
    ResultField,
    ToolSchema,
    bounds,
    signature,
)

# The lines of the system prompt about the functions of the benchmark.
#
# A benchmark may compute facts for scripts, which call `harness.tools.due_date("l-7")`. The
# title says that the calls begin with `harness.tools.`, so each line leaves it out:
#
# - due_date(loan): the day on which a loan ends

# The next texts are for the model.

_FUNCTIONS_TITLE: Final = (
    "\n`harness.tools.NAME` gives .value, .notes (doubts); its reads count:"
)
"""The notes are doubts about the value. "Its reads count" tells the
model that its answer may cite the files that the function has read."""
_FUNCTION_EXAMPLE: Final = (
    "r = harness.tools.{}; print(r.value, r.notes); scratchpad.cite_all(r)"
)
"""For a call such as `due_date("l-7")`."""


def _function_lines(functions: Sequence[Operation]) -> Iterator[str]:
    """Yield a title, an example, and a line for each function; nothing without functions."""
    if not functions:
        return
    yield _FUNCTIONS_TITLE
    yield _FUNCTION_EXAMPLE.format(_example_call(functions))
    for function in functions:
        call = signature(function).removeprefix("harness.tools.")
        yield f"- {call}: {function.summary}"


def _example_call(functions: Sequence[Operation]) -> str:
    """Return the first declared example of a function, or else a call of the first function."""
    for function in functions:
        if function.example:
            return function.example
    return f"{functions[0].name}(...)"


# Groups the operations that an environment offers by where they come from.
#
# The system prompt lists each group in a format of its own. The group shows in the name:
#
#     read         own: the environment does it itself
#     wiki.search  a tool of the MCP server `wiki`
#     due_date     a function that the benchmark computes, if it is declared as one


@dataclass(slots=True)
class _OperationGroups:
    """The operations that an environment offers, by where they come from."""

    own: list[Operation] = field(default_factory=list)
    """What the environment does itself, such as `read`."""
    tools_by_server: dict[str, list[Operation]] = field(default_factory=dict)
    """Tools of MCP servers, such as `wiki.search`."""
    functions: list[Operation] = field(default_factory=list)
    """Functions that the benchmark computes, such as `due_date`."""

    @classmethod
    def of(cls, operations: Sequence[Operation]) -> _OperationGroups:
        """Return the groups, without those that the environment offers only later."""
        groups = cls()
        for operation in operations:
            if not operation.is_later:
                groups._add(operation)
        return groups

    def _add(self, operation: Operation) -> None:
        """Add an operation to its group: `wiki.search` is a tool of the server `wiki`."""
        server, dot, _ = operation.name.partition(".")
        if dot:
            self.tools_by_server.setdefault(server, []).append(operation)
        elif operation.is_function:
            self.functions.append(operation)
        else:
            self.own.append(operation)


# The attributes that the result of a call has in a script, as the system prompt lists them.
#
# `list` returns a list of objects, and where it can be cited. `read` returns a path, which the
# script knows, and a text, which may be JSON:
#
#     list   -> .entries [.name .path .is_dir] .call_path
#     read   -> .content .json()

_CALL_PATH: Final = "call_path"
"""The result field with the path under which a result that is not a file can be cited, such
as `/count/1`."""


def _result_attributes(operation: Operation, *, is_cited: bool) -> list[str]:
    """Return the attributes of an operation's result: `.entries [.name .path]`, `.json()`.

    `is_cited` is true if the answers in this environment cite their sources.
    """
    attributes: list[str] = []
    for result_field in operation.fields:
        if result_field.name == operation.subject:
            continue  # It repeats the path, which the script has passed to the call.
        if result_field.name == _CALL_PATH and not is_cited:
            continue
        # A tree prints as a drawing, so scripts need not read the fields of its items.
        shows_items = not operation.drawn_as_tree
        attributes.append(_attribute(result_field, shows_items=shows_items))
    if operation.json_field:
        attributes.append(".json()")  # It parses the text in this field.
    return attributes


def _attribute(field: ResultField, *, shows_items: bool) -> str:
    """Return a field as an attribute. A list of objects has theirs, too: `.entries [.name]`."""
    if not field.items or not shows_items:
        return f".{field.name}"
    items = " ".join(f".{item}" for item in field.items)
    return f".{field.name} [{items}]"


# The lines of the system prompt about an environment's own calls.
#
# They say how a script makes a call, and which attributes its result has. Tools of servers and
# functions of the benchmark have lines in other formats.
#
# - list(path='/') -> .entries [.name .path .is_dir]: what a folder holds

_CALL_PATH_NOTE: Final = "\nA result's .call_path counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"


def _own_call_lines(
    operations: Sequence[Operation], *, is_cited: bool
) -> Iterator[str]:
    """Yield a line for each operation, and a note about results that can be cited.

    `is_cited` is true if the answers in this environment cite their sources. If they don't,
    the lines leave out the field `call_path`, by which a result is cited.
    """
    for operation in operations:
        yield _operation_line(operation, is_cited=is_cited)
    if is_cited and any(_has_call_path(operation) for operation in operations):
        yield _CALL_PATH_NOTE


def _has_call_path(operation: Operation) -> bool:
    """Return True if the results of an operation can be cited by their `call_path`."""
    return any(field.name == _CALL_PATH for field in operation.fields)


def _operation_line(operation: Operation, *, is_cited: bool) -> str:
    """Return the line about an operation, with its attributes and its parameters.

    - find(name) -> .paths: files by their names (name: a pattern such as *.md)
    """
    attributes = _result_attributes(operation, is_cited=is_cited)
    descriptions: list[str] = []
    for parameter in operation.parameters:
        if parameter.description:
            descriptions.append(f"{parameter.name}: {parameter.description}")

    line = f"- {signature(operation).removeprefix('harness.')}"
    if attributes:
        line += f" -> {' '.join(attributes)}"
    line += f": {operation.summary}"
    if descriptions:
        line += f" ({'; '.join(descriptions)})"
    return line


# The lines of the system prompt about the tools of servers (of MCP, for example).
#
# A script calls the tool `search` of the server `wiki` by `harness.wiki.search(...)`. If there are
# few tools, each has a line, or else each server. For a server with the tools `search` and `get`:
#
#     few     - harness.wiki.search(query): finds pages by words
#             - harness.wiki.get(page): returns a page
#     many    - `harness.wiki`, described by `.help(tool)`, found by `.help(words)`: search get

_SERVERS_TITLE: Final = (
    "\nTools of servers. Each returns .text, .data (parsed, if it is structured; its keys are attributes too) and\n"
    ".call_path, which counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)
_MAX_FURTHER_TOOLS: Final = 40
"""Max tools beside the first one of each server, if each tool has a line. A line for each server is
needed anyway, so many servers with one tool each are not too much."""


def _server_tool_lines(
    tools_by_server: Mapping[str, Sequence[Operation]],
) -> Iterator[str]:
    """Yield the lines about all servers, with a title; none without servers."""
    if not tools_by_server:
        return
    yield _SERVERS_TITLE
    tool_count = sum(len(tools) for tools in tools_by_server.values())
    server_count = len(tools_by_server)
    if tool_count - server_count <= _MAX_FURTHER_TOOLS:
        for tools in tools_by_server.values():
            for tool in tools:
                yield f"- {tool_line(tool)}"
    else:
        max_chars = bounds.SHOWN_NAMES_CHARS // server_count
        for server, tools in tools_by_server.items():
            names = _tool_names(tools, max_chars)
            yield (
                f"- `harness.{server}`, described by `.help(tool)`, "
                f"found by `.help(words)`: {names}"
            )


def tool_line(operation: Operation) -> str:
    """Return the line about a server's tool: its call with types, and its summary."""
    return f"{signature(operation)}: {operation.summary}"


def _tool_names(tools: Sequence[Operation], max_chars: int) -> str:
    """Return the names of a server's tools: `wiki.search`, `wiki.get` -> `search get`.

    A long list is cut after a name.
    """
    names = " ".join(tool.name.partition(".")[2] for tool in tools)
    if len(names) <= max_chars:
        return names
    return f"{names[:max_chars].rpartition(' ')[0]} ... and more"


# Writes the reference of the calls that a script can make, for the system prompt.
#
# Each call has a line, such as `- read(path) -> .content: the text of a file`. The executables
# of one kind share a line: `- changes: /bin/renew prolongs a loan; /bin/close ends one`.


def operation_lines(
    operations: Sequence[Operation], *, is_cited: bool
) -> Iterator[str]:
    """Yield a line for each operation, with a title before each group except the first.

    `is_cited` is true if answers cite their sources. If they don't, the lines leave out the
    result field `call_path`, the path by which a result is cited.
    """
    # Each group has lines in a format of its own.
    groups = _OperationGroups.of(operations)
    yield from _own_call_lines(groups.own, is_cited=is_cited)
    yield from _server_tool_lines(groups.tools_by_server)
    yield from _function_lines(groups.functions)


def executable_lines(tool_schema: ToolSchema) -> Iterator[str]:
    """Yield a line for each kind of executable, a program that scripts can run.

    `- reads: /bin/date tells the time; /bin/loans`
    """
    texts_by_kind: dict[str, list[str]] = {}
    for executable in tool_schema.executables:
        text = f"{executable.path} {executable.summary}".rstrip()
        texts_by_kind.setdefault(str(executable.kind), []).append(text)
    for kind, texts in texts_by_kind.items():
        yield f"- {kind}: {'; '.join(texts)}"


# Writes the text about scripts for a program that takes the place of the model.
#
# Such a program, for example a coding agent of the user, gets no system prompt. It is served a tool
# that runs a script, and this text describes the tool.


def served_text(tool_schema: ToolSchema) -> str:
    """Return the text, with the calls and programs of an environment.

    It speaks of citations (`is_cited`) even if the answers in this environment cite nothing.
    """
    lines = list(operation_lines(tool_schema.operations, is_cited=True))
    lines += executable_lines(tool_schema)
    # A user's prompts do not replace this text, so it is read directly.
    return read_text(FOLDER / "served.md").replace("{{harness}}", "\n".join(lines))
