"""Finds the action inside an object that a model wrote as text.

An action is an object with the code to run: `{"state": "", "code": "1"}`. Models that are asked
for it also write a call of a tool, or put it into another object:

    {"name": "execute_script", "arguments": {"code": "1"}}  ->  {"code": "1"}
    {"action": {"state": "", "code": "1"}}                  ->  {"state": "", "code": "1"}
"""

from __future__ import annotations

from typing import Any

from controlplane.agent.reply.action_fields import has_code_field, has_remark
from controlplane.agent.reply.script_call import script_arguments


def unwrapped(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the action inside an object; without one, the object itself."""
    # 1. The object is an action: `{"state": "", "code": "1"}`
    if has_code_field(fields):
        return fields

    # 2. It is a call, whose arguments may be an action:
    #    `{"name": "execute_script", "arguments": {"code": "1"}}`
    arguments = script_arguments(fields)
    if arguments is not None:
        return arguments if has_code_field(arguments) else fields

    # 3. Its only field may be an action: `{"action": {"state": "", "code": "1"}}`. Without a
    #    remark, the code may be an example: `{"example": {"code": "1"}}`
    if len(fields) != 1:
        return fields
    (value,) = fields.values()
    if isinstance(value, dict) and has_code_field(value) and has_remark(value):
        return value
    return fields
