"""Declares the model's tools: the environment's operations, and the completion with the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.model import Tool, object_schema
from controlplane.gates.submission import OUTCOMES
from controlplane.sandbox.interface import (
    Effect,
    ExecutableKind,
    Operation,
    Plain,
    ToolSchema,
)

COMPLETION: Final = "report_completion"
"""The name of the tool that ends the trial."""
_CHANGING_EFFECTS: Final = frozenset({Effect.WRITES, Effect.DELETES, Effect.MOVES})


def tools_of(
    tool_schema: ToolSchema, task_types: Sequence[str], allowed: Permission
) -> tuple[Tool, ...]:
    """Return the tools for one trial. The last one is the completion, which ends the trial.

    Operations that change files are included only if the request permits them.
    """
    tools = []
    for operation in tool_schema.operations:
        if allowed.files or operation.effect not in _CHANGING_EFFECTS:
            tools.append(operation_tool(operation))
    tools.append(completion_tool(task_types))
    return tuple(tools)


def operation_tool(operation: Operation) -> Tool:
    """Return an operation as a tool."""
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


def completion_tool(task_types: Sequence[str]) -> Tool:
    """Return the tool that ends the trial. `Completion` parses its arguments."""
    return Tool(
        name=COMPLETION,
        description="End the trial with an answer.",
        parameters=object_schema(
            {
                "notes": _text("What was established, one line each."),
                "task_type": {"type": "string", "enum": [*task_types]},
                "outcome": {"type": "string", "enum": [*OUTCOMES]},
                "message": _text("The answer, in exactly the form that was asked for."),
                "documents": references_schema(
                    "Documents whose rules the answer follows."
                ),
                "records": references_schema(
                    "Records and other files that support the answer."
                ),
                "protected": {
                    "type": "boolean",
                    "description": "Records must not be shown to whoever asks: documents alone are cited.",
                },
            }
        ),
    )


def references_schema(description: str) -> dict[str, object]:
    """Return the schema of an array of citations: path, reason, and optionally a quotation."""
    fields = {
        "path": _text("An absolute path that was opened."),
        "reason": _text("Why it is cited: name an id, a number or a phrase from it."),
        "quote": _text("Exact words from it, in its language."),
    }
    citation = object_schema(fields, ["path", "reason"])
    return {"type": "array", "description": description, "items": citation}


def _text(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}


# Changes ----------------------------------------------------------------------------------------


NO_CHANGES: Final = "not run: the request asks for no such change, so nothing that changes something is run for it"


def runs_change(
    tool_schema: ToolSchema, declared: Operation, arguments: Mapping[str, Plain]
) -> bool:
    """Return True if a call runs an executable that changes something."""
    kind = tool_schema.executable_kind(str(arguments.get(declared.subject)))
    return kind is ExecutableKind.CHANGES and tool_schema.may_change(
        declared.name, arguments
    )


def change_reference(tool_schema: ToolSchema, allowed: Permission) -> str:
    """Return lines about the permitted calls that change something; empty if there are none.

    These calls write, move or delete files, or run executables that change something.
    """
    lines = []
    if allowed.files:
        changing = []
        for operation in tool_schema.operations:
            if operation.effect in _CHANGING_EFFECTS:
                changing.append(operation_tool(operation))
        lines.append(call_reference(changing))
    if allowed.tools:
        lines.append(executable_reference(tool_schema, changing=True))
    reference = "\n".join(line for line in lines if line)
    if not reference:
        return ""
    return f"This request may change something. Beside the tools above there are:\n{reference}\n"


# Tools as text ----------------------------------------------------------------------------------


def call_reference(tools: Sequence[Tool]) -> str:
    """Return a line for each tool, for the system prompt: ``- `read(path, start_line=0)`: …``"""
    lines = []
    for tool in tools:
        parameters = ", ".join(_parameter_texts(tool.parameters))
        lines.append(f"- `{tool.name}({parameters})`: {tool.description}")
    return "\n".join(lines)


def _parameter_texts(schema: Mapping[str, Any]) -> list[str]:
    texts = []
    for name, parameter in schema["properties"].items():
        if name in schema["required"]:
            texts.append(name)
        else:
            texts.append(f"{name}={parameter.get('default')!r}")
    return texts


def executable_reference(tool_schema: ToolSchema, *, changing: bool) -> str:
    """Return a line for each executable that changes something.

    If `changing` is False, return the lines of the others instead.
    """
    lines = []
    for executable in tool_schema.executables:
        if (executable.kind is ExecutableKind.CHANGES) is changing:
            lines.append(
                f"- `{executable.path}`: {executable.summary} ({executable.kind})"
            )
    return "\n".join(lines)


def described_fields(schema: Mapping[str, Any]) -> str:
    """Return a line for each property of a schema, for a prompt."""
    lines = []
    for name, field in schema.get("properties", {}).items():
        lines.append(f"- `{name}`: {field.get('description', '')}")
    return "\n".join(lines)
