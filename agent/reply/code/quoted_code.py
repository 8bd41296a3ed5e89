"""Finds the code in the text of an object that is neither valid JSON nor Python.

`{"state": fee read, "code": "print(1)", "done": false}` -> `print(1)`

The state lacks its quotation marks, but it is certain which code the model meant: there is one key
of code, and it is certain where the string after it ends.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.reply.action_fields import CODE_NAMES
from controlplane.agent.reply.code.certain_string import certain_string
from controlplane.agent.reply.code.program_text import is_program

CODE_KEY: Final = re2.compile(rf"""["']?\b(?:{"|".join(CODE_NAMES)})\b["']?\s*:""")
"""Matches a key of code: `"code":`."""


def quoted_code(object_text: str) -> str | None:
    """Return the code of an object with one key of code; None if the code is uncertain.

    | object | code |
    |---|---|
    | `{"state": fee read, "code": "print(1)"}` | `print(1)` |
    | `{"state": fee read, "code": "print("a")"}` | None: where does the string end? |
    | `{"state": fee read, "code": "print(1"}` | None: it is not a valid program |
    | `{"state": {"code": "print(1)", "done": 0}}` | None: it belongs to an inner object |
    | `{"plan": [all, "code": "print(1)", "done": 0]}` | None: it is in a list |
    """
    key = CODE_KEY.search(object_text)
    if key is None or _is_inside_field(object_text[: key.start()]):
        return None
    code = certain_string(object_text, key.end())
    is_usable = code is not None and code.strip() and is_program(code)
    return code if is_usable else None


def _is_inside_field(text_before: str) -> bool:
    """Return True if a key belongs to an inner object, or is in a list.

    `text_before` is the text of the object before the key: `{"state": {`, `{"plan": [all, `.
    """
    is_in_inner_object = text_before.count("{") > 1  # The first brace opens the object.
    is_in_list = text_before.count("[") != text_before.count("]")
    return is_in_inner_object or is_in_list
