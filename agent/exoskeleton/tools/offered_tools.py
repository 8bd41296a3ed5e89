"""The environment's operations as tools of the model, as far as the request permits changes.

For a request that only asks a question, there is no tool `write`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.tools.completion_tool import completion_tool
from controlplane.agent.exoskeleton.tools.tool_texts import (
    call_reference,
    executable_reference,
)
from controlplane.agent.model import Tool, object_schema
from controlplane.sandbox.interface import (
    Effect,
    ExecutableKind,
    Operation,
    Plain,
    ToolSchema,
)

_CHANGING_EFFECTS: Final = frozenset({Effect.WRITES, Effect.DELETES, Effect.MOVES})

NO_CHANGES: Final = "not run: the request asks for no such change, so nothing that changes something is run for it"
"""The result of a call that the model makes although the request does not permit it."""


def tools_of(
    tool_schema: ToolSchema, task_types: Sequence[str], permission: Permission
) -> tuple[Tool, ...]:
    """Return the tools for one trial. By the last one, the model hands in its answer.

    Operations that change files are included only if the request permits them.
    """
    tools = []
    for operation in tool_schema.operations:
        if permission.files or operation.effect not in _CHANGING_EFFECTS:
            tools.append(operation_tool(operation))
    tools.append(completion_tool(task_types))
    return tuple(tools)


def operation_tool(operation: Operation) -> Tool:
    """Return an operation as a tool: its summary, and its parameters as a JSON schema."""
    properties = {}
    required = []
    for parameter in operation.parameters:
        schema = dict(parameter.json_schema)
        if parameter.is_required:
            required.append(parameter.name)
        else:
            schema["default"] = parameter.default
        properties[parameter.name] = schema

    description = f"{operation.summary}."
    returned = ", ".join(field.name for field in operation.fields)
    if returned:
        description += f" Returns {returned}."
    return Tool(
        name=operation.name,
        description=description,
        parameters=object_schema(properties, required),
    )


def runs_change(
    tool_schema: ToolSchema, operation: Operation, arguments: Mapping[str, Plain]
) -> bool:
    """Return True if a call runs an executable that may change something.

    run(path="/bin/lend", args=["b-7"])    -> True
    run(path="/bin/lend", args=["--help"]) -> False
    write(path="/a.md", text="Hi")         -> False: it runs no executable
    """
    path = str(arguments.get(operation.subject))
    if tool_schema.executable_kind(path) is not ExecutableKind.CHANGES:
        return False
    return tool_schema.may_change(operation.name, arguments)


def change_reference(tool_schema: ToolSchema, permission: Permission) -> str:
    """Return lines about the permitted calls that change something; empty if there are none.

    These calls write, move or delete files, or run executables that change something.
    """
    parts = []
    if permission.files:
        parts.append(call_reference(_changing_tools(tool_schema)))
    if permission.tools:
        parts.append(executable_reference(tool_schema, changing=True))
    # An environment may have no such operation, or no such executable.
    reference = "\n".join(part for part in parts if part)
    if not reference:
        return ""
    return f"This request may change something. Beside the tools above there are:\n{reference}\n"


def _changing_tools(tool_schema: ToolSchema) -> list[Tool]:
    """Return the operations that write, move or delete files, as tools."""
    tools = []
    for operation in tool_schema.operations:
        if operation.effect in _CHANGING_EFFECTS:
            tools.append(operation_tool(operation))
    return tools
