"""Sorts the objects in a reply of the model, to find the action among them.

`I note {"id": 4}. {"state": "", "code": "print(1)"}` -> the action is the second object
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.reply.action_fields import has_code_to_run, has_remark
from controlplane.agent.reply.broken_action import rescued_code
from controlplane.agent.reply.unusable_reply import Fault, Unusable
from controlplane.agent.reply.wrapped_action import unwrapped
from controlplane.agent.reply.written_code import code_block
from controlplane.agent.reply.written_objects import WrittenObject, objects_in

MAX_SHOWN_NAMES: Final = 5
MAX_SHOWN_NAME_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class FoundAction:
    """The first action in a text. Its fields may have any type, until they are validated."""

    fields: Mapping[str, object]
    """The fields by name: `{"state": "no fee found yet", "code": "print(1)"}`."""
    further_actions: int = 0
    """How many actions follow in the same text. They are not run."""


@dataclass(slots=True)
class FoundObjects:
    """The objects in a reply of the model, sorted by what they tell about its action.

    | object | belongs to |
    |---|---|
    | `{"state": "", "code": "1"}` | `actions` |
    | `{"state": the rules, "code": "1"}`, which is neither JSON nor Python | `broken_action` |
    | `{"state": ""}` | `remarks` |
    | `{"path": "/a.md"}` | `unrelated` |
    """

    text: str
    """The reply."""
    actions: list[Mapping[str, object]] = field(default_factory=list)
    """The fields of each action. The first action is run."""
    broken_action: WrittenObject | None = None
    """An action that can be read neither as JSON nor as Python; None if a readable action stands
    before it. The objects after it are not sorted, because they may be examples."""
    remarks: list[WrittenObject] = field(default_factory=list)
    """The objects with remarks (`state`, `plan`, `done`), but without code."""
    unrelated: Mapping[str, object] = field(default_factory=dict)
    """The fields of the first object that is unrelated."""

    @classmethod
    def of(cls, text: str) -> FoundObjects:
        """Sort the objects in a reply."""
        found = cls(text)
        for written in objects_in(text):
            if written.is_broken_action and not found.actions:
                found.broken_action = written
                break
            found._sort(written)
        return found

    def _sort(self, written: WrittenObject) -> None:
        """Put an object where it belongs. One that cannot be read belongs nowhere."""
        # The action may be inside the object: `{"action": {"state": "", "code": "1"}}`.
        fields = unwrapped(written.fields)
        if has_code_to_run(fields):
            self.actions.append(fields)
        elif has_remark(fields):
            self.remarks.append(written)
        elif not self.unrelated:
            self.unrelated = fields

    def action(self) -> FoundAction | Unusable | None:
        """Return the action of the reply; None if its objects have none.

        | the reply has | returned |
        |---|---|
        | a broken action | its code; `Unusable` if it is uncertain which code it has |
        | actions | the first one |
        | one object with remarks, and one block of Python | both as one action |
        """
        if self.broken_action is not None:
            code = rescued_code(self.text, self.broken_action)
            return code if isinstance(code, Unusable) else FoundAction({"code": code})
        if self.actions:
            further_actions = len(self.actions) - 1
            return FoundAction(self.actions[0], further_actions)
        return self._remarks_with_block()

    def _remarks_with_block(self) -> FoundAction | None:
        """Return the action that a model wrote in two parts; None if there is none.

        `{"state": "reading"}` and a block of Python with `print(1)` beside it ->
        `{"state": "reading", "code": "print(1)"}`
        """
        if len(self.remarks) != 1:
            return None  # The block may belong to either.
        remarks = self.remarks[0]
        block = code_block(self.text)
        if block is None or block.is_inside(remarks):
            return None
        return FoundAction({**remarks.fields, "code": block.code})

    def fault(self) -> Unusable:
        """Return what the reply has instead of an action, for a reply without one."""
        if self.remarks:
            return Unusable(Fault.WRONG_SHAPE)
        if self.unrelated:
            # Objects of Python may have numbers as keys.
            names = [str(name) for name in self.unrelated]
            shown = [repr(name[:MAX_SHOWN_NAME_CHARS]) for name in names]
            listed = ", ".join(shown[:MAX_SHOWN_NAMES])
            return Unusable(Fault.WRONG_SHAPE, f" (it has {listed})")
        return Unusable(Fault.NO_OBJECT)
