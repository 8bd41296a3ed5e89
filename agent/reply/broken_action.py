"""Finds the code in the text of an object that is neither valid JSON nor Python.

In `{"state": the rules, "code": "print(1)"}`, the state lacks its quotation marks, but the
code is certain.
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
CODE_STRING: Final = re2.compile(
    rf"(?s){_CODE_KEY}\s*{_STRING}\s*(?:{_NEXT_KEY}|{_OBJECT_END})"
)
"""Matches a key of code with its string, and what follows it: `"code":
"print(1)", "done":`. Without the end, a quotation mark inside the code could
pass for the string's end."""


def rescued_code(text: str, unreadable: WrittenObject) -> str | Unusable:
    """Return the code of an object in a text, or the object's fault.

    The code is used only if neither the object nor the text after it has other code. With
    two codes, it would be uncertain which one the model meant:

        {"state": the rules, "code": "print(1)"}                        `print(1)`
        {"state": the rules, "code": "print(1)", "code": "print(2)"}    a fault: two codes
        {"state": the rules, "code": "print(1)"} {"code": "print(2)"}   a fault: two codes

    Anything that looks like a key of code counts as other code, even inside the program:

        {"state": the rules, "code": "d = {'code': 1}"}                 a fault

    The fault says where the object stops being valid JSON (see `fault_of`).
    """
    if unreadable.end is None:
        return garbled("not closed")
    object_text = text[unreadable.start : unreadable.end]
    code = code_string_in(object_text)
    # The model may also have written other code after the object.
    text_from_object = text[unreadable.start :]
    code_keys = CODE_KEY.findall(text_from_object)
    has_other_code = len(code_keys) > 1
    if code is not None and not has_other_code:
        return code
    return garbled(fault_of(object_text))


def code_string_in(object_text: str) -> str | None:
    """Return the code in the text of an object; None if it is uncertain.

    It must be one whole string, at the top level of the object, and a valid program:

        {"state": the rules, "code": "print(1)"}        `print(1)`
        {"state": {"code": "print(1)", "done": 0}}      None, in an inner object
        {"plan": [all, "code": "print(1)", "done": 0]}  None, in a list
    """
    match = CODE_STRING.search(object_text)
    if match is None:
        return None

    # The first brace before the code is the object's own. A second one begins an inner
    # object, which an action does not have. A list before the code, such as the plan, must
    # be closed.
    before_code = object_text[: match.start()]
    follows_inner_object = before_code.count("{") > 1
    is_in_list = before_code.count("[") != before_code.count("]")
    if follows_inner_object or is_in_list:
        return None

    code = unescaped(match["content"])
    is_usable = code is not None and code.strip() and is_program(code)
    return code if is_usable else None


def fault_of(object_text: str) -> str:
    """Return why an object cannot be read, or why its code is uncertain."""
    try:
        json.loads(object_text, strict=False)
    except json.JSONDecodeError as error:
        near_fault = object_text[max(0, error.pos - 20) : error.pos + 20]
        return f"no JSON ({error.msg} near {' '.join(near_fault.split())!r})"
    except RecursionError:
        return "nested too deeply"
    # It is valid JSON, so it cannot be read because it has two codes.
    return "ambiguous, with its code twice"


def garbled(fault: str) -> Unusable:
    """Return the unusable reply for a text whose first object has a fault."""
    return unusable(Fault.GARBLED, f": its first object is {fault}, so nothing was run")
