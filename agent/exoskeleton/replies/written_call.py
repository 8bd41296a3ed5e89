"""Reads a tool call that a model has written as JSON, into the text of its reply.

Models use several forms. These are the same call:

    {"name": "read", "arguments": {"path": "/docs/a.md"}}
    {"tool": "read", "parameters": {"path": "/docs/a.md"}}
    {"function": {"name": "read", "arguments": "{\\"path\\": \\"/docs/a.md\\"}"}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from controlplane.agent.model import ToolCall
from controlplane.agent.reply.script_call import WRITTEN_ARGUMENTS


def written_call(value: object) -> ToolCall | None:
    """Return the call that a JSON value describes; None if it describes none."""
    if not isinstance(value, dict):
        return None
    function = value.get("function")
    fields = function if isinstance(function, dict) else value
    name = fields.get("name") or fields.get("tool")
    if not isinstance(name, str) or not name:
        return None
    arguments = _written_arguments(fields)
    if arguments is None:
        return None
    return ToolCall(name=name, arguments=arguments)


def _written_arguments(fields: Mapping[str, Any]) -> str | None:
    """Return the arguments in the fields of a written call, as the text of a JSON object.

    {"tool": "read", "parameters": {"path": "/docs/a.md"}} -> '{"path": "/docs/a.md"}'

    None if they are missing or null, as in an example or a template of a call.
    """
    for spelling in WRITTEN_ARGUMENTS:  # `arguments`, `parameters` ...
        if spelling not in fields:
            continue
        arguments = fields[spelling]
        if arguments is None or isinstance(arguments, str):
            return arguments
        return json.dumps(arguments)
    return None
