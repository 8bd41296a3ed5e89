"""The action that the objects of a reply have, or the fault if they have none.

A *broken action* is not valid JSON. Below, the text of `state` has no quotes around it:

| the objects in a reply | what is run |
|---|---|
| `{"state": fee read, "code": "print(1)"}` | `print(1)`: no other code can be meant |
| `{"state": fee read, "code": "pri` | nothing: `Unusable`, as the code is cut off |
| `{"state": "", "code": "print(1)"} {"code": "print(2)"}` | `print(1)`, the first action |
| `{"state": "fee read"}`, and a block of Python with `print(1)` | `print(1)` |
| `{"path": "/a.md"}` | nothing. The fault: `Unusable(..., " (it has 'path')")` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.reply.broken_action import rescued_code
from controlplane.agent.reply.code.code_block import code_block
from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.found_objects import FoundObjects
from controlplane.agent.reply.unusable_reply import Unusable

MAX_SHOWN_NAMES: Final = 5
MAX_SHOWN_NAME_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class FoundAction:
    """The first action in a reply. Its fields may have any type, until they are validated."""

    fields: Mapping[str, object]
    """The fields by name: `{"state": "no fee found yet", "code": "print(1)"}`."""
    further_actions: int = 0
    """How many actions follow in the same text. They are not run."""


def action_among(objects: FoundObjects) -> FoundAction | Unusable | None:
    """Return the action; None if there is none, and `Unusable` if its code is uncertain."""
    # A broken action is only known if no other action stands before it.
    if objects.broken_action is not None:
        code = rescued_code(objects.text, objects.broken_action)
        return code if isinstance(code, Unusable) else FoundAction({"code": code})
    if objects.actions:
        further_actions = len(objects.actions) - 1
        return FoundAction(objects.actions[0], further_actions)
    return _action_in_two_parts(objects)


def _action_in_two_parts(objects: FoundObjects) -> FoundAction | None:
    """Return the action of an object without code, such as `{"state": "fee read"}`, and a block.

    None if the reply has no such object, or several: the block may belong to any of these.
    """
    if len(objects.without_code) != 1:
        return None
    remarks = objects.without_code[0]
    block = code_block(objects.text)
    if block is None or block.is_inside(remarks):
        return None
    return FoundAction({**remarks.fields, "code": block.code})


def fault_of(objects: FoundObjects) -> Unusable:
    """Return what a reply without an action has instead."""
    if objects.without_code:
        return Unusable(Fault.WRONG_SHAPE)
    if objects.unrelated_fields:
        # Objects of Python may have numbers as keys.
        names = [str(name) for name in objects.unrelated_fields]
        shown = [repr(name[:MAX_SHOWN_NAME_CHARS]) for name in names]
        listed = ", ".join(shown[:MAX_SHOWN_NAMES])
        return Unusable(Fault.WRONG_SHAPE, f" (it has {listed})")
    return Unusable(Fault.NO_OBJECT)
