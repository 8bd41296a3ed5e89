"""Says what the objects of a reply have, if none of them is an action.

| the objects in a reply | what the model is told |
|---|---|
| `{"state": "fee read"}`, with a remark of an action | the object has the wrong shape |
| `{"path": "/a.md", "fee": 7}` | the same, and its names: ` (it has 'path', 'fee')` |
| none | there is no object |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.reply.action_fields import has_remark
from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.objects.written_object import WrittenObject
from controlplane.agent.reply.unusable_reply import Unusable

MAX_SHOWN_NAMES: Final = 5
MAX_SHOWN_NAME_CHARS: Final = 40


def fault_of(objects: Sequence[WrittenObject]) -> Unusable:
    """Return what a reply with these objects has instead of an action."""
    # A remark is a `state`, a `plan` or a `done`, which an action has beside its code.
    if any(has_remark(written.fields) for written in objects):
        return Unusable(Fault.WRONG_SHAPE)
    for written in objects:
        if written.fields:  # It can be read.
            names = list(written.fields)[:MAX_SHOWN_NAMES]
            shown = [repr(name[:MAX_SHOWN_NAME_CHARS]) for name in names]
            detail = f" (it has {', '.join(shown)})"
            return Unusable(Fault.WRONG_SHAPE, detail)
    return Unusable(Fault.NO_OBJECT)
