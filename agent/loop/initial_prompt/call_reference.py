"""Writes the reference of the calls that a script can make, for the system prompt.

Each call has a line, such as `- read(path) -> .content: the text of a file`. The executables
of one kind share a line: `- changes: /bin/renew prolongs a loan; /bin/close ends one`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from controlplane.agent.loop.initial_prompt.function_lines import function_lines
from controlplane.agent.loop.initial_prompt.own_call_lines import own_call_lines
from controlplane.agent.loop.initial_prompt.server_tool_lines import server_tool_lines
from controlplane.sandbox.interface import Operation, ToolSchema


def operation_lines(
    operations: Sequence[Operation], *, is_cited: bool
) -> Iterator[str]:
    """Yield a line for each operation, with a title before each group except the first.

    `is_cited` is true if answers cite their sources. If they don't, the lines leave out the
    result field `call_path`, the path by which a result is cited.
    """
    # Each group has lines in a format of its own.
    groups = OperationGroups.of(operations)
    yield from own_call_lines(groups.own, is_cited=is_cited)
    yield from server_tool_lines(groups.tools_by_server)
    yield from function_lines(groups.functions)


@dataclass(slots=True)
class OperationGroups:
    """The operations that an environment offers, by where they come from."""

    own: list[Operation] = field(default_factory=list)
    """What the environment does itself, such as `read`."""
    tools_by_server: dict[str, list[Operation]] = field(default_factory=dict)
    """Tools of MCP servers, such as `wiki.search`."""
    functions: list[Operation] = field(default_factory=list)
    """Functions that the benchmark computes, such as `due_date`."""

    @classmethod
    def of(cls, operations: Sequence[Operation]) -> OperationGroups:
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
