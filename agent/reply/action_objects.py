"""Finds an action in an object that a model wrote as text: `{"state": "", "code": "print(1)"}`.

An action has code, and may have remarks: a `state`, a `plan` and `done`. Models also use
other names, such as `script` for `code` (see `action_fields`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.model import TOOL_NAME
from controlplane.agent.reply.action_fields import CODE_NAMES, REMARK_NAMES
from controlplane.agent.reply.object_text import read_object

WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys that may hold the arguments of a call that is written as text."""


def unwrapped(value: dict[str, object]) -> dict[str, object]:
    """Return the action inside an object; without one, the object itself."""
    # 1. The object is an action: `{"state": "", "code": "1"}`
    if has_code(value):
        return value

    # 2. It is a call, whose arguments may be an action:
    #    `{"name": "execute_script", "arguments": {"code": "1"}}`
    arguments = written_arguments(value)
    if arguments is not None:
        return arguments if has_code(arguments) else value

    # 3. Its only field may be an action: `{"action": {"state": "", "code": "1"}}`. Without a
    #    remark, the code may be an example: `{"example": {"code": "1"}}`
    if len(value) != 1:
        return value
    only_field = next(iter(value.values()))
    if isinstance(only_field, dict) and has_code(only_field) and has_remark(only_field):
        return only_field
    return value


def written_arguments(value: dict[str, object]) -> dict[str, object] | None:
    """Return the arguments of an object that is a call of `execute_script`; None if it is not one.

    {"name": "execute_script", "arguments": {"code": "1"}}
    {"tool": "execute_script", "arguments": {"code": "1"}}
    {"function": "execute_script", "arguments": {"code": "1"}}
    {"function": {"name": "execute_script", "arguments": {"code": "1"}}}
    """
    # `function` is the tool's name in the third form, and has the call in the fourth one.
    function = value.get("function")
    call = function if isinstance(function, dict) else value
    possible_names = (call.get("name"), function, value.get("tool"))
    if TOOL_NAME not in possible_names:
        return None

    for name in WRITTEN_ARGUMENTS:
        if name in call:
            arguments = call[name]
            if isinstance(arguments, str):
                arguments = read_object(arguments)
            return arguments if isinstance(arguments, dict) else {}
    return {}  # It is a call without arguments.


def has_code(fields: Mapping[str, object]) -> bool:
    """Return True if an object has code, even if it is empty.

    A key `code` is enough. Other names of it, such as `script`, only count beside a `state`,
    `plan` or `done`, because an object with only a `script` may be anything.
    """
    if "code" in fields:
        return True
    return has_remark(fields) and any(name in fields for name in CODE_NAMES)


def has_remark(fields: Mapping[str, object]) -> bool:
    """Return True if an object has a `state`, a `plan` or a `done`."""
    return not REMARK_NAMES.isdisjoint(fields)


def is_code_empty(fields: Mapping[str, object]) -> bool:
    """Return True if an object has an empty field `code`."""
    return "code" in fields and fields["code"] in ("", None)


def is_clear_action(fields: Mapping[str, object]) -> bool:
    """Return True if an object has code and another field of an action, and only such."""
    names = set(fields)
    return (
        not names.isdisjoint(CODE_NAMES)
        and has_remark(fields)
        and names.issubset({*CODE_NAMES, *REMARK_NAMES})
    )
