"""The action that the objects of a reply have, or the fault if they have none.

| the objects in a reply | what is run |
|---|---|
| `{"state": "", "code": "print(1)"} {"code": "print(2)"}` | `print(1)`, the first action |
| `{"state": the rules, "code": "print(1)"}`, a broken action | `print(1)`: it is certain |
| `{"state": the rules, "code": "pri`, a broken action | nothing: `Unusable` |
| `{"state": "reading"}`, beside a block of Python with `print(1)` | `print(1)` |
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
    if objects.broken_action is not None:
        code = rescued_code(objects.text, objects.broken_action)
        return code if isinstance(code, Unusable) else FoundAction({"code": code})
    if objects.actions:
        return FoundAction(objects.actions[0], len(objects.actions) - 1)

    # The model may have written the action in two parts: `{"state": "reading"}`, and a block.
    if len(objects.remarks) != 1:
        return None  # Of two such objects, the block may belong to either.
    remarks = objects.remarks[0]
    block = code_block(objects.text)
    if block is None or block.is_inside(remarks):
        return None
    return FoundAction({**remarks.fields, "code": block.code})


def fault_of(objects: FoundObjects) -> Unusable:
    """Return what a reply without an action has instead."""
    if objects.remarks:
        return Unusable(Fault.WRONG_SHAPE)
    if objects.unrelated:
        # Objects of Python may have numbers as keys.
        names = [str(name) for name in objects.unrelated]
        shown = [repr(name[:MAX_SHOWN_NAME_CHARS]) for name in names]
        listed = ", ".join(shown[:MAX_SHOWN_NAMES])
        return Unusable(Fault.WRONG_SHAPE, f" (it has {listed})")
    return Unusable(Fault.NO_OBJECT)
