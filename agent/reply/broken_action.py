"""Rescues the code of a broken action: an object that is neither valid JSON nor Python.

Models forget quotes: `{"state": fee read, "code": "print(1)"}`. If only one code can be meant, it
is run. Otherwise the reply is `Unusable`, and the model is told the reason.
"""

from __future__ import annotations

import json

from controlplane.agent.reply.code.quoted_code import CODE_KEY, quoted_code
from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.objects.written_object import WrittenObject
from controlplane.agent.reply.unusable_reply import Unusable


def rescued_code(text: str, broken: WrittenObject) -> str | Unusable:
    """Return the code of the broken action in `text`, if it is the only code from there on.

    | `broken`, and the text after it | returns |
    |---|---|
    | `{"state": fee read, "code": "print(1)` | `Unusable`: it has no closing brace |
    | `{"state": fee read, "code": "print(1)"} {"code": "print(2)"}` | `Unusable`: either is meant |
    | `{"state": fee read, "code": "print(1)"}` | `print(1)` |
    """
    if broken.end is None:
        return _garbled("not closed")
    object_text = text[broken.start : broken.end]
    code_keys = CODE_KEY.findall(text[broken.start :])
    if len(code_keys) == 1:  # With two codes, it is unknown which one the model meant.
        code = quoted_code(object_text)
        if code is not None:
            return code
    return _garbled(_fault_of(object_text))


def _fault_of(object_text: str) -> str:
    """Return why an object cannot be read.

    `{"state": fee read}` -> `no JSON (Expecting value near '{"state": fee read}')`
    """
    try:
        json.loads(object_text, strict=False)
    except json.JSONDecodeError as error:
        near_fault = object_text[max(0, error.pos - 20) : error.pos + 20]
        return f"no JSON ({error.msg} near {' '.join(near_fault.split())!r})"
    except RecursionError:
        return "nested too deeply"
    # Only one kind of valid JSON is not read: `{"code": "1", "code": "2"}`.
    return "ambiguous, with its code twice"


def _garbled(fault: str) -> Unusable:
    """Return the unusable reply for a text whose first object has a fault."""
    return Unusable(Fault.GARBLED, f": its first object is {fault}, so nothing was run")
