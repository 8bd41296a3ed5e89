"""Reads the texts and values in the declarations of an environment's operations."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.origins.values.argument_value import ValueKeys
from controlplane.agent.evidence.origins.values.argument_values import keys_of_arguments
from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.sandbox.interface import Operation, Plain, ToolSchema


def declared_texts(tool_schema: ToolSchema) -> list[str]:
    """Return the names, descriptions and schemas of all operations and tools."""
    texts: list[str] = []
    for operation in tool_schema.operations:
        texts += [operation.name, operation.summary]
        for parameter in operation.parameters:
            texts += [parameter.name, *leaves_of(_plain(parameter.json_schema))]
    for tool in tool_schema.executables:
        texts.append(f"{tool.path}: {tool.summary}")
    return texts


def declared_values(operation: Operation) -> dict[str, ValueKeys]:
    """Return the values that an operation's schema lists, by parameter."""
    values: dict[str, ValueKeys] = {}
    for parameter in operation.parameters:
        enum = _enum_of(parameter.json_schema)
        if enum:
            values[parameter.name] = keys_of_arguments(enum)
    return values


def _enum_of(schema: Mapping[str, object]) -> list[Plain]:
    """Return the enum in the schema of an argument, or of its items."""
    enum = schema.get("enum")
    items = schema.get("items")
    if enum is None and isinstance(items, Mapping):
        enum = items.get("enum")
    return list(enum) if isinstance(enum, list | tuple) else []


def _plain(value: object) -> Plain:
    """Return a part of a JSON schema as plain data."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool) else None
