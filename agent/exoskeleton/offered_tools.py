"""The tools offered to a model, declared operations and the completion, and the calls in its reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.events.trial_events import ModelReplied
from agent.exoskeleton.bindings import Permission
from agent.model.model_protocol import Tool, ToolCall
from agent.reply.action import object_schema
from agent.reply.object_finder import object_of
from gates.submission import OUTCOMES
from sandbox.interface import REQUIRED, Effect, ExecutableKind, Operation, Plain, Surface

COMPLETION: Final = "report_completion"
"""The tool that ends the trial."""
_CALL_SCHEMA: Final = object_schema({"name": {"type": "string"}, "arguments": {"type": "object"}})
CALLS_SCHEMA: Final = object_schema({"calls": {"type": "array", "items": _CALL_SCHEMA}})
"""JSON schema of a reply that holds calls, for endpoints without tools."""
_TYPES: Final[Mapping[str, dict[str, object]]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "list[str]": {"type": "array", "items": {"type": "string"}},
}
_CHANGING: Final = frozenset({Effect.WRITES, Effect.DELETES, Effect.MOVES})
MOST_CALLS: Final = 32
"""Max calls of one reply that are made."""
_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys under which a written call holds its arguments."""
TAKEN_APART: Final = "(called with) "
"""Comes before the arguments into which a call's text was split."""
NO_CHANGES: Final = "not run: the request asks for no such change, so nothing that changes something is run for it"


def tools_of(
    surface: Surface, task_types: Sequence[str], *, allowed: Permission, with_helpers: bool
) -> tuple[Tool, ...]:
    """Return the tools for one trial, the completion last. Changing operations are offered only if they are allowed."""
    offered = [
        operation
        for operation in surface.operations
        if (with_helpers or not operation.finds) and (allowed.files or operation.effect not in _CHANGING)
    ]
    return (*map(_tool, offered), completion_tool(task_types))


def change_reference(surface: Surface, allowed: Permission) -> str:
    """Return lines for the operations and executables that change something and are allowed."""
    tools = [_tool(operation) for operation in surface.operations if allowed.files and operation.effect in _CHANGING]
    lines = [call_reference(tools), executable_reference(surface, changing=True) if allowed.tools else ""]
    told = "\n".join(filter(None, lines))
    return f"This request may change something. Beside the tools above there are:\n{told}\n" if told else ""


def executable_reference(surface: Surface, *, changing: bool) -> str:
    """Return a line for each executable that changes something or, without `changing`, for each of the others."""
    return "\n".join(
        f"- `{executable.path}`: {executable.summary} ({executable.kind})"
        for executable in surface.executables
        if (executable.kind is ExecutableKind.CHANGES) is changing
    )


def completion_tool(task_types: Sequence[str]) -> Tool:
    """Return the tool that ends the trial."""
    return Tool(
        name=COMPLETION,
        description="End the trial with an answer.",
        parameters=object_schema(
            {
                "notes": _text("What was established, one line each."),
                "task_type": {"type": "string", "enum": [*task_types]},
                "outcome": {"type": "string", "enum": [*OUTCOMES]},
                "message": _text("The answer, in exactly the form that was asked for."),
                "documents": _references("Documents whose rules the answer follows."),
                "records": _references("Records and other files that support the answer."),
                "protected": {
                    "type": "boolean",
                    "description": "Records must not be shown to whoever asks: documents alone are cited.",
                },
            }
        ),
    )


def call_reference(tools: Sequence[Tool]) -> str:
    """Return the tools as lines of text, for a model that gets no schemas."""
    return "\n".join(f"- `{tool.name}({', '.join(_written(tool.parameters))})`: {tool.description}" for tool in tools)


def properties_of(schema: Mapping[str, object]) -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of an object's fields, by name."""
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def described_fields(schema: Mapping[str, object]) -> str:
    """Return a line for each field of a schema, for a prompt."""
    return "\n".join(f"- `{name}`: {field.get('description', '')}" for name, field in properties_of(schema).items())


def _written(schema: Mapping[str, Any]) -> list[str]:
    required = schema["required"]
    return [
        name if name in required else f"{name}={field.get('default')!r}" for name, field in schema["properties"].items()
    ]


def _tool(operation: Operation) -> Tool:
    returned = ", ".join(field.name for field in operation.fields)
    described = f"{operation.summary}. Returns {returned}." if returned else f"{operation.summary}."
    return Tool(name=operation.name, description=described, parameters=object_schema(*call_properties(operation)))


def call_properties(operation: Operation) -> tuple[dict[str, dict[str, object]], list[str]]:
    """Return the schema of each parameter of an operation, and the names of the required ones."""
    properties = {
        name: _TYPES.get(kind, {}) | ({} if default is REQUIRED else {"default": default})
        for name, kind, default in operation.parameters
    }
    return properties, [parameter.name for parameter in operation.parameters if parameter.is_required]


def _text(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}


def _references(description: str) -> dict[str, object]:
    reason = "Why it is cited: name an id, a number or a phrase from it."
    quote = "Exact words from it, in its language."
    fields = {"path": _text("An absolute path that was opened."), "reason": _text(reason), "quote": _text(quote)}
    item = object_schema(fields, ["path", "reason"])
    return {"type": "array", "description": description, "items": item}


class BadArguments(Exception):
    """The arguments of a call are not a JSON object."""


def calls_of(replied: ModelReplied) -> Sequence[ToolCall]:
    """Return the calls of a reply in order; none if the reply was cut off by its length."""
    if replied.finish_reason == "length":
        return ()
    if replied.tool_calls:
        return replied.tool_calls
    found = object_of(replied.reply) or {}
    listed = found.get("calls", [found])
    calls = [_written_call(value) for value in listed] if isinstance(listed, list) else []
    return [call for call in calls if call is not None]


def _written_call(value: object) -> ToolCall | None:
    """Return a call that was written as JSON, in any spelling that models use."""
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    value = inner if isinstance(inner, dict) else value
    name = value.get("name") or value.get("tool")
    given = next((value[argument] for argument in _ARGUMENTS if argument in value), None)
    if not isinstance(name, str) or not name or given is None:
        return None
    return ToolCall(name=name, arguments=given if isinstance(given, str) else json.dumps(given))


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call by name. Raises `BadArguments`."""
    try:
        value = json.loads(call.arguments or "{}", strict=False)
    except (ValueError, RecursionError) as error:
        value = object_of(call.arguments)
        if value is None:
            msg = f"its arguments are no JSON: {error}"
            raise BadArguments(msg) from None
    if not isinstance(value, dict):
        msg = f"its arguments are no JSON object: {call.arguments[:80]}"
        raise BadArguments(msg)
    return value


def runs_change(surface: Surface, declared: Operation, arguments: Mapping[str, Plain]) -> bool:
    """Say whether a call runs an executable that changes something."""
    kind = surface.executable_kind(str(arguments.get(declared.subject)))
    return kind is ExecutableKind.CHANGES and surface.may_change(declared.name, arguments)
