"""Reads the texts and values in the declarations of an environment's operations.

The environment declares its operations itself, so these texts are trusted: a call may use a
name of a tool, or a value of an enum, even if a mail mentions it, too.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.origins.values.argument_keys import keys_of_all
from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.sandbox.interface import Operation, Plain, ToolSchema


def declared_texts(tool_schema: ToolSchema) -> list[str]:
    """Return the names, descriptions and schemas of all operations and tools.

    `read`, `read a file`, `path`, `string`, `/bin/count: counts words`, ...
    """
    texts: list[str] = []
    for operation in tool_schema.operations:
        texts += [operation.name, operation.summary]
        for parameter in operation.parameters:
            schema = _plain(parameter.json_schema)
            texts += [parameter.name, *leaves_of(schema)]
    for tool in tool_schema.executables:
        texts.append(f"{tool.path}: {tool.summary}")
    return texts


def declared_keys(operation: Operation) -> dict[str, tuple[str, ...]]:
    """Return the keys of the values that an operation's schema lists, by parameter.

    `{"mode": ("start", "stop")}` for a parameter `mode` with the enum `["START", "STOP"]`
    """
    keys: dict[str, tuple[str, ...]] = {}
    for parameter in operation.parameters:
        enum = _enum_of(parameter.json_schema)
        if enum:
            keys[parameter.name] = keys_of_all(enum)
    return keys


def _enum_of(schema: Mapping[str, object]) -> list[Plain]:
    """Return the enum in the schema of an argument, or of its items."""
    enum = schema.get("enum")
    items = schema.get("items")
    if enum is None and isinstance(items, Mapping):
        enum = items.get("enum")
    return list(enum) if isinstance(enum, list | tuple) else []


def _plain(value: object) -> Plain:
    """Return a part of a JSON schema as plain data. A schema may have tuples and mappings."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool) else None
