"""Finds the action inside an object that a model wrote as text.

An action is an object with the code to run: `{"state": "", "code": "1"}`. Models that are asked
for it also write a call of a tool, or put it into another object:

    {"name": "execute_script", "arguments": {"code": "1"}}  ->  {"code": "1"}
    {"action": {"state": "", "code": "1"}}                  ->  {"state": "", "code": "1"}
"""

from __future__ import annotations

from typing import Any, Final

from controlplane.agent.model import TOOL_NAME
from controlplane.agent.reply.action_fields import has_code_field, has_remark
from controlplane.agent.reply.objects.object_text import read_object

WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys that may hold the arguments of a call that is written as text."""


def unwrapped(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the action inside an object; without one, the object itself."""
    # 1. The object is an action: `{"state": "", "code": "1"}`
    if has_code_field(fields):
        return fields

    # 2. It is a call, whose arguments may be an action:
    #    `{"name": "execute_script", "arguments": {"code": "1"}}`
    call = _script_call(fields)
    if call is not None:
        arguments = _arguments_of(call)
        return arguments if has_code_field(arguments) else fields

    # 3. Its only field may be an action: `{"action": {"state": "", "code": "1"}}`. Without a
    #    remark, the code may be an example: `{"example": {"code": "1"}}`
    if len(fields) != 1:
        return fields
    (value,) = fields.values()
    if isinstance(value, dict) and has_code_field(value) and has_remark(value):
        return value
    return fields


def _script_call(fields: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object that has the arguments of a call of `execute_script`; None without one.

    {"name": "execute_script", ...}                 -> the object itself
    {"tool": "execute_script", ...}                 -> the object itself
    {"function": "execute_script", ...}             -> the object itself
    {"function": {"name": "execute_script", ...}}   -> the inner object
    """
    function = fields.get("function")
    if isinstance(function, dict):
        has_tool_name = TOOL_NAME in (function.get("name"), fields.get("tool"))
        return function if has_tool_name else None
    has_tool_name = TOOL_NAME in (fields.get("name"), fields.get("tool"), function)
    return fields if has_tool_name else None


def _arguments_of(call: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call; empty if it has none, or none that can be read.

    {"name": "execute_script", "input": {"code": "1"}}       -> {"code": "1"}
    {"name": "execute_script", "input": "{\\"code\\": \\"1\\"}"}  -> {"code": "1"}
    """
    for name in WRITTEN_ARGUMENTS:
        if name not in call:
            continue
        arguments = call[name]
        if isinstance(arguments, str):
            arguments = read_object(arguments)
        return arguments if isinstance(arguments, dict) else {}
    return {}
