"""The action among the objects of a reply: the first object that has code to run.

Each of these replies runs `print(1)`:

    {"path": "/a.md"} {"state": "", "code": "print(1)"}         an object with code
    {"state": "", "code": "print(1)"} {"code": "print(2)"}      the first of two
    {"state": fee read, "code": "print(1)"}                     a broken object: quotes are missing
    {"state": "fee read"}, and a block of Python `print(1)`     an action in two parts
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.reply.action_fields import has_code_to_run, has_remark
from controlplane.agent.reply.broken_action import rescued_code
from controlplane.agent.reply.code.code_block import code_block
from controlplane.agent.reply.objects.written_object import WrittenObject
from controlplane.agent.reply.unusable_reply import Unusable


@dataclass(frozen=True, slots=True)
class FoundAction:
    """The first action in a reply. Its fields may have any type, until they are validated."""

    fields: Mapping[str, object]
    """The fields by name: `{"state": "no fee found yet", "code": "print(1)"}`."""
    further_actions: int = 0
    """How many actions follow in the same text. They are not run."""


def action_among(
    objects: Sequence[WrittenObject], text: str
) -> FoundAction | Unusable | None:
    """Return the action among the objects in `text`; None if there is none.

    Returns `Unusable` if an object was meant as the action, but its code is uncertain.
    """
    for index, written in enumerate(objects):
        if written.is_broken_action:
            # The model meant it as the action. The objects after it may be examples.
            code = rescued_code(text, written)
            if isinstance(code, Unusable):
                return code
            return FoundAction({"code": code})
        if has_code_to_run(written.fields):
            later = objects[index + 1 :]
            further = [other for other in later if has_code_to_run(other.fields)]
            return FoundAction(written.fields, len(further))
    return _action_in_two_parts(objects, text)


def _action_in_two_parts(
    objects: Sequence[WrittenObject], text: str
) -> FoundAction | None:
    """Return the action of an object without code, such as `{"state": "fee read"}`, and a block.

    The object needs a remark: a `state`, a `plan` or a `done`. None if the reply has no such
    object, or several: the block may belong to any of these.
    """
    remarks = [written for written in objects if has_remark(written.fields)]
    if len(remarks) != 1:
        return None
    block = code_block(text)
    if block is None or block.is_inside(remarks[0]):
        return None
    return FoundAction({**remarks[0].fields, "code": block.code})
