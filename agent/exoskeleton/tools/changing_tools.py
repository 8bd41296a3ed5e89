"""The calls that change something, which are stopped unless the user's request permits them.

A call names an *operation* of the environment, such as `write`. The operation `run` runs an
*executable*, a program such as `/bin/lend`:

| call | changes something |
|---|---|
| `write(path="/a.md", text="Hi")` | yes: the operation declares that it writes |
| `run(path="/bin/lend", args=["b-7"])` | yes: the executable is declared to change something |
| `run(path="/bin/lend", args=["--help"])` | no |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.tools.operation_tool import operation_tool
from controlplane.agent.exoskeleton.tools.tool_texts import (
    call_reference,
    executable_reference,
)
from controlplane.sandbox.interface import (
    Effect,
    ExecutableKind,
    Operation,
    Plain,
    ToolSchema,
)

CHANGING_EFFECTS: Final = frozenset({Effect.WRITES, Effect.DELETES, Effect.MOVES})


def runs_change(
    tool_schema: ToolSchema, operation: Operation, arguments: Mapping[str, Plain]
) -> bool:
    """Return True if a call runs an executable that may change something."""
    path = str(arguments.get(operation.subject))
    if tool_schema.executable_kind(path) is not ExecutableKind.CHANGES:
        return False
    # The arguments may only ask for `--help`.
    return tool_schema.may_change(operation.name, arguments)


def change_reference(tool_schema: ToolSchema, permission: Permission) -> str:
    """Return lines for the model about the permitted changing calls; empty if there are none."""
    parts = []
    if permission.files:  # The request permits to change files.
        tools = []
        for operation in tool_schema.operations:
            if operation.effect in CHANGING_EFFECTS:
                tools.append(operation_tool(operation))
        parts.append(call_reference(tools))
    if permission.tools:  # It permits to run executables that change something.
        parts.append(executable_reference(tool_schema, changing=True))
    # An environment may have no such operation, or no such executable.
    reference = "\n".join(part for part in parts if part)
    if not reference:
        return ""
    return f"This request may change something. Beside the tools above there are:\n{reference}\n"
