"""Finds an action in an object that a model wrote as text: `{"state": "", "code": "print(1)"}`.

An action has code, and may have remarks: a `state`, a `plan` and `done`. Models also use
other names, such as `script` for `code` (see `action_fields`), and put actions into calls:

    {"name": "execute_script", "arguments": {"code": "print(1)"}}  ->  {"code": "print(1)"}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controlplane.agent.model import TOOL_NAME
from controlplane.agent.reply.action_fields import CODE_NAMES, REMARK_NAMES
from controlplane.agent.reply.object_text import read_object

WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys that may hold the arguments of a call that is written as text."""


def unwrapped(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the action inside an object; without one, the object itself."""
    # 1. The object is an action: `{"state": "", "code": "1"}`
    if has_code(fields):
        return fields

    # 2. It is a call, whose arguments may be an action:
    #    `{"name": "execute_script", "arguments": {"code": "1"}}`
    call = _script_call(fields)
    if call is not None:
        arguments = _arguments_of(call)
        return arguments if has_code(arguments) else fields

    # 3. Its only field may be an action: `{"action": {"state": "", "code": "1"}}`. Without a
    #    remark, the code may be an example: `{"example": {"code": "1"}}`
    if len(fields) != 1:
        return fields
    (value,) = fields.values()
    if isinstance(value, dict) and has_code(value) and has_remark(value):
        return value
    return fields


def _script_call(fields: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object that has the arguments of a call of `execute_script`.

    None if the object is not such a call.

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


def has_code(fields: Mapping[str, object]) -> bool:
    """Return True if an object has a field for code, even if it is empty.

    | object | has code |
    |---|---|
    | `{"code": "1"}` | True |
    | `{"script": "1", "state": ""}` | True |
    | `{"script": "1"}` | False: without a remark, it may be anything |
    """
    if "code" in fields:
        return True
    return has_remark(fields) and any(name in fields for name in CODE_NAMES)


def has_code_to_run(fields: Mapping[str, object]) -> bool:
    """Return True if an object has code, and its `code` is not empty, as in `{"code": ""}`."""
    is_empty = "code" in fields and fields["code"] in ("", None)
    return has_code(fields) and not is_empty


def has_remark(fields: Mapping[str, object]) -> bool:
    """Return True if an object has a `state`, a `plan` or a `done`."""
    return not REMARK_NAMES.isdisjoint(fields)


def is_clear_action(fields: Mapping[str, object]) -> bool:
    """Return True if an object has code and a remark, and nothing else.

    | object | is clear |
    |---|---|
    | `{"state": "", "code": "1"}` | True |
    | `{"code": "1"}` | False: it has no remark |
    | `{"state": "", "code": "1", "path": "/a"}` | False: no action has a `path` |
    """
    names = set(fields)
    has_named_code = not names.isdisjoint(CODE_NAMES)
    has_other_field = not names.issubset({*CODE_NAMES, *REMARK_NAMES})
    return has_named_code and has_remark(fields) and not has_other_field
