"""Sorts the JSON objects in a reply of the model, to find the action among them.

An action is an object with the code of a script to run, such as `{"code": "print(1)"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.reply.action_objects import (
    has_code,
    has_remark,
    is_code_empty,
    unwrapped,
)
from controlplane.agent.reply.broken_action import rescued_code
from controlplane.agent.reply.unusable_reply import Fault, Unusable, unusable
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
    """The objects in a reply of the model, by what they tell about its action."""

    text: str
    """The reply."""
    actions: list[Mapping[str, object]] = field(default_factory=list)
    """The fields of each object with code. The first object is the action."""
    without_code: list[WrittenObject] = field(default_factory=list)
    """The objects before the first action that have a `state` or `plan`, but no code."""
    unrelated_names: list[str] = field(default_factory=list)
    """The keys of the first object that has no field of an action."""
    unreadable: WrittenObject | None = None
    """An object that looks like an action, but is neither JSON nor Python. The search ends
    there: the model probably meant this one, and later ones may be examples."""

    @classmethod
    def of(cls, text: str) -> FoundObjects:
        """Sort the objects in a text."""
        found = cls(text)
        for written in objects_in(text):
            # The action may be in the object: `{"action": {"state": "", "code": "1"}}`.
            fields = unwrapped(written.fields)

            # `{"state": "", "code": "1"}`
            if has_code(fields) and not is_code_empty(fields):
                found.actions.append(fields)
            elif found.actions:
                continue  # After an action, only further actions count.
            # `{"state": the rules, "code": "1"}`
            elif written.value is None and written.is_action:
                found.unreadable = written
                break
            # `{"state": "", "plan": []}`
            elif has_remark(fields):
                found.without_code.append(written)
            # `{"path": "/a.md"}`
            elif not found.unrelated_names:
                found.unrelated_names = list(fields)
        return found

    def action(self) -> FoundAction | Unusable | None:
        """Return the first action in the text; None if it has none.

        | the text has | returns |
        |---|---|
        | `{"state": the rules, "code": "1"}` | its code, if that is certain; else `Unusable` |
        | `{"state": "", "code": "1"}` | its fields |
        | `{"state": ""}`, and a block of Python beside it | its fields and the block |
        """
        if self.unreadable is not None:
            code = rescued_code(self.text, self.unreadable)
            return code if isinstance(code, Unusable) else FoundAction({"code": code})
        if self.actions:
            return FoundAction(self.actions[0], len(self.actions) - 1)
        return self._action_with_block()

    def _action_with_block(self) -> FoundAction | None:
        """Return the object without code, with the code of the block of Python beside it.

        Returns None if there are two such objects, because the block may belong to either.
        """
        if len(self.without_code) != 1:
            return None
        state_and_plan = self.without_code[0]
        block = code_block(self.text, beside=state_and_plan)
        if block is None:
            return None
        return FoundAction({**state_and_plan.fields, "code": block})

    def fault(self) -> Unusable:
        """Return what the text has instead of an action, for a text without one."""
        if self.without_code:
            return unusable(Fault.WRONG_SHAPE)
        if self.unrelated_names:
            names = self.unrelated_names[:MAX_SHOWN_NAMES]
            shown = ", ".join(repr(name[:MAX_SHOWN_NAME_CHARS]) for name in names)
            return unusable(Fault.WRONG_SHAPE, f" (it has {shown})")
        return unusable(Fault.NO_OBJECT)
