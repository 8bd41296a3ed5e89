"""Describes tools, executables and fields as lines of a prompt.

    - `read(path, start_line=0)`: Read a text file. Returns content.      a tool
    - `/bin/lend`: lends a book (changes)                                 an executable
    - `change`: True if the request changes something                     a field of a reply

The model knows by them what it may call, and how it should reply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.agent.model import Tool
from controlplane.sandbox.interface import ExecutableKind, ToolSchema


def call_reference(tools: Sequence[Tool]) -> str:
    """Return a line for each tool, for the system prompt: ``- `read(path, start_line=0)`: …``"""
    lines = []
    for tool in tools:
        parameters = ", ".join(_parameter_texts(tool.parameters))
        lines.append(f"- `{tool.name}({parameters})`: {tool.description}")
    return "\n".join(lines)


def _parameter_texts(schema: Mapping[str, Any]) -> list[str]:
    """Return the parameters as in a signature: `path`, `limit=10`."""
    texts = []
    for name, parameter in schema["properties"].items():
        if name in schema["required"]:
            texts.append(name)
        else:
            texts.append(f"{name}={parameter.get('default')!r}")
    return texts


def executable_reference(tool_schema: ToolSchema, *, changing: bool) -> str:
    """Return a line for each executable that changes something: ``- `/bin/lend`: ...``

    If `changing` is False, return the lines of those that change nothing.
    """
    lines = []
    for executable in tool_schema.executables:
        changes_something = executable.kind is ExecutableKind.CHANGES
        if changes_something == changing:
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
