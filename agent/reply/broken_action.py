"""Finds the code in an object that is neither valid JSON nor Python.

`{"state": the rules, "code": "print(1)"}` -> `print(1)`

The state lacks its quotation marks, but it is certain which code the model meant. If it is
not certain, the reply is `Unusable`, with the reason for the model.
"""

from __future__ import annotations

import json
from typing import Final

import re2

from controlplane.agent.reply.action_fields import CODE_NAMES
from controlplane.agent.reply.program_text import is_program, unescaped
from controlplane.agent.reply.unusable_reply import Fault, Unusable, unusable
from controlplane.agent.reply.written_objects import WrittenObject

_CODE_KEY: Final = rf"""["']?\b(?:{"|".join(CODE_NAMES)})\b["']?\s*:"""
"""A key of code, such as `"code":`."""
_STRING: Final = r'''"(?P<content>(?:[^"\\]|\\.)*)"'''
"""A whole string, and the text between its quotation marks: `"print(1)"`."""
_NEXT_KEY: Final = r""",\s*(?:"\w+"|'\w+'|\w+)\s*:"""
"""The key of the next field: `, "done":`."""
_OBJECT_END: Final = r",?\s*\}\s*\z"
"""The closing brace at the end of the text."""

CODE_KEY: Final = re2.compile(_CODE_KEY)
"""Matches a key of code: `"code":`."""
CODE_STRING: Final = re2.compile(
    rf"(?s){_CODE_KEY}\s*{_STRING}\s*(?:{_NEXT_KEY}|{_OBJECT_END})"
)
"""Matches a key of code, its string, and what follows it: `"code": "print(1)", "done":`.

A quotation mark that the model did not escape also seems to end the string. So a quotation
mark counts as the end only if the next key or the end of the object follows it."""


def rescued_code(text: str, unreadable: WrittenObject) -> str | Unusable:
    """Return the code of the object `unreadable` in `text`, if it is the only code there.

    | from the object to the end of the text | returns |
    |---|---|
    | `{"state": the rules, "code": "print(1)"}` | `print(1)` |
    | `{"state": the rules, "code": "print(1)"} {"code": "print(2)"}` | `Unusable` |
    | `{"state": the rules, "code": "d = {'code': 1}"}` | `Unusable`: it looks like two codes |
    """
    if unreadable.end is None:
        return garbled("not closed")
    object_text = text[unreadable.start : unreadable.end]
    text_from_object = text[unreadable.start :]

    # With a second code, in the object or after it, it is unknown which one the model meant.
    has_second_code = len(CODE_KEY.findall(text_from_object)) > 1
    code = code_string_in(object_text)
    if code is None or has_second_code:
        return garbled(fault_of(object_text))
    return code


def code_string_in(object_text: str) -> str | None:
    """Return the code in the text of an object, which cannot be read; None if it is uncertain.

    The code must be a whole string and a valid program, and belong to the object itself:

    | object | code |
    |---|---|
    | `{"state": the rules, "code": "print(1)"}` | `print(1)` |
    | `{"state": {"code": "print(1)", "done": 0}}` | None: it belongs to an inner object |
    | `{"plan": [all, "code": "print(1)", "done": 0]}` | None: it is in a list |
    | `{"state": the rules, "code": "print(1"}` | None: it is not a valid program |
    """
    match = CODE_STRING.search(object_text)
    if match is None:
        return None

    # The first brace before the code opens the object, and a second one an inner object. A
    # list before the code, such as the plan, must have ended.
    before_code = object_text[: match.start()]
    follows_inner_object = before_code.count("{") > 1
    is_in_list = before_code.count("[") != before_code.count("]")
    if follows_inner_object or is_in_list:
        return None

    code = unescaped(match["content"])
    is_usable = code is not None and code.strip() and is_program(code)
    return code if is_usable else None


def fault_of(object_text: str) -> str:
    """Return why an object cannot be read, such as `no JSON (Expecting value near ...)`."""
    try:
        json.loads(object_text, strict=False)
    except json.JSONDecodeError as error:
        near_fault = object_text[max(0, error.pos - 20) : error.pos + 20]
        return f"no JSON ({error.msg} near {' '.join(near_fault.split())!r})"
    except RecursionError:
        return "nested too deeply"
    # The object is valid JSON. So its only fault is that it has two codes, and a repeated key.
    return "ambiguous, with its code twice"


def garbled(fault: str) -> Unusable:
    """Return the unusable reply for a text whose first object has a fault."""
    return unusable(Fault.GARBLED, f": its first object is {fault}, so nothing was run")
