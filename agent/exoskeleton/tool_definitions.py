"""The tools that a model is offered: the declared operations, and the one that completes the trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.exoskeleton.bindings import Permission
from agent.model.model_protocol import Tool
from gates.submission import OUTCOMES
from sandbox.interface import Effect, Operation, Parameter, Surface

COMPLETION: Final = "report_completion"
"""The tool that ends the trial."""
CALLS_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["calls"],
    "properties": {
        "calls": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "arguments"],
                "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
            },
        }
    },
}
"""JSON schema of a reply that holds calls, for endpoints without tools."""
_TYPES: Final[Mapping[str, dict[str, object]]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "list[str]": {"type": "array", "items": {"type": "string"}},
}
_CHANGING: Final = frozenset({Effect.WRITES, Effect.DELETES})


def tools_of(
    surface: Surface, task_types: Sequence[str], *, allowed: Permission, with_helpers: bool
) -> tuple[Tool, ...]:
    """Return the tools for one trial, the completion last. Changing operations are offered if they are allowed."""
    offered = [
        each
        for each in surface.operations
        if (with_helpers or not each.finds) and (allowed.files or each.effect not in _CHANGING)
    ]
    return (*map(_tool, offered), completion_tool(task_types))


def completion_tool(task_types: Sequence[str]) -> Tool:
    """Return the tool that ends the trial."""
    return Tool(
        name=COMPLETION,
        description="End the trial with an answer.",
        parameters=_object(
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
    return "\n".join(f"- `{each.name}({', '.join(_written(each.parameters))})`: {each.description}" for each in tools)


def properties_of(schema: Mapping[str, object]) -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of an object's fields, by name."""
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def described_fields(schema: Mapping[str, object]) -> str:
    """Return a line for each field of a schema, for a prompt."""
    return "\n".join(f"- `{name}`: {each.get('description', '')}" for name, each in properties_of(schema).items())


def _written(schema: Mapping[str, Any]) -> list[str]:
    required = schema["required"]
    return [
        name if name in required else f"{name}={each.get('default')!r}" for name, each in schema["properties"].items()
    ]


def _tool(operation: Operation) -> Tool:
    returned = ", ".join(each.name for each in operation.fields)
    described = f"{operation.summary}. Returns {returned}." if returned else f"{operation.summary}."
    properties = {each.name: _property(each) for each in operation.parameters}
    required = [each.name for each in operation.parameters if each.is_required]
    return Tool(name=operation.name, description=described, parameters=_object(properties, required))


def _property(parameter: Parameter) -> dict[str, object]:
    kind = dict(_TYPES.get(parameter.type, {}))
    return kind if parameter.is_required else kind | {"default": parameter.default}


def _object(properties: dict[str, dict[str, object]], required: Sequence[str] | None = None) -> dict[str, object]:
    names = list(properties) if required is None else list(required)
    return {"type": "object", "additionalProperties": False, "required": names, "properties": properties}


def _text(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}


def _references(description: str) -> dict[str, object]:
    reason = "Why it is cited: name an id, a number or a phrase from it."
    quote = "Exact words from it, in its language."
    fields = {"path": _text("An absolute path that was opened."), "reason": _text(reason), "quote": _text(quote)}
    item = _object(fields, ["path", "reason"])
    return {"type": "array", "description": description, "items": item}
