"""Writes the reference of the calls that a script can make, for the system prompt.

Each call has a line, such as `- read(path) -> .content: the text of a file`. The executables
of one kind share a line: `- changes: /bin/renew prolongs a loan; /bin/close ends one`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from controlplane.agent.loop.initial_prompt.reference.function_lines import (
    function_lines,
)
from controlplane.agent.loop.initial_prompt.reference.operation_groups import (
    OperationGroups,
)
from controlplane.agent.loop.initial_prompt.reference.own_call_lines import (
    own_call_lines,
)
from controlplane.agent.loop.initial_prompt.reference.server_tool_lines import (
    server_tool_lines,
)
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
