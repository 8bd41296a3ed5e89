"""Rescues the code of a broken action: an object that is neither valid JSON nor Python.

Models forget quotes: `{"state": fee read, "code": "print(1)"}`. If only one code can be meant, it
is run. Otherwise nothing is run, and the model is told what is wrong with the object.
"""

from __future__ import annotations

import json

from controlplane.agent.reply.code.quoted_code import CODE_KEY, quoted_code
from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.objects.written_object import WrittenObject
from controlplane.agent.reply.unusable_reply import Unusable


def rescued_code(text: str, broken: WrittenObject) -> str | Unusable:
    """Return the code of the broken action in `text`, or why nothing is run.

    | `broken`, and the text after it | result |
    |---|---|
    | `{"state": fee read, "code": "print(1)` | `Unusable`: it may be cut off |
    | `{"state": fee read, "code": "print(1)"} {"code": "print(2)"}` | `Unusable`: which is meant? |
    | `{"state": fee read, "code": "print(1)"}` | `print(1)` |
    """
    if broken.end is None:
        return _unusable("not closed")
    object_text = text[broken.start : broken.end]
    code_keys = CODE_KEY.findall(text[broken.start :])  # such as `"code":`
    if len(code_keys) <= 1:
        code = quoted_code(object_text)
        if code is not None:
            return code
    return _unusable(_fault_in(object_text))


def _unusable(fault: str) -> Unusable:
    """Return why nothing was run, for the model to read.

    `: its first object is no JSON (Expecting value near '{"state": fee read}'), so nothing was run`
    """
    return Unusable(Fault.GARBLED, f": its first object is {fault}, so nothing was run")


def _fault_in(object_text: str) -> str:
    """Return why an object cannot be read."""
    try:
        json.loads(object_text, strict=False)
    except json.JSONDecodeError as error:
        near_fault = object_text[max(0, error.pos - 20) : error.pos + 20]
        return f"no JSON ({error.msg} near {' '.join(near_fault.split())!r})"
    except RecursionError:
        return "nested too deeply"
    # Only one kind of valid JSON is not read: `{"code": "1", "code": "2"}`.
    return "ambiguous, with its code twice"
