"""Reads a call of the script tool that a model wrote as text, in place of an action.

Models use several forms. The arguments of all of these calls are `{"code": "1"}`:

    {"name": "execute_script", "arguments": {"code": "1"}}
    {"tool": "execute_script", "input": {"code": "1"}}
    {"function": "execute_script", "args": {"code": "1"}}
    {"function": {"name": "execute_script", "parameters": "{\\"code\\": \\"1\\"}"}}
"""

from __future__ import annotations

from typing import Any, Final

from controlplane.agent.model import TOOL_NAME
from controlplane.agent.reply.objects.object_text import read_object

WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys that may hold the arguments of a call that is written as text."""


def script_arguments(fields: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a call of `execute_script`; None if an object is not such a call.

    They are empty if the call has none, or none that can be read.
    """
    call = _script_call(fields)
    if call is None:
        return None
    for name in WRITTEN_ARGUMENTS:
        if name not in call:
            continue
        arguments = call[name]
        if isinstance(arguments, str):
            arguments = read_object(arguments)
        return arguments if isinstance(arguments, dict) else {}
    return {}


def _script_call(fields: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object that has the arguments: the call itself, or its `function`."""
    function = fields.get("function")
    if isinstance(function, dict):
        has_tool_name = TOOL_NAME in (function.get("name"), fields.get("tool"))
        return function if has_tool_name else None
    has_tool_name = TOOL_NAME in (fields.get("name"), fields.get("tool"), function)
    return fields if has_tool_name else None
