"""Sorts the JSON objects in a reply of the model, to find the action among them.

An action is an object with the code of a script to run, such as `{"code": "print(1)"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.reply.action_objects import (
    has_code,
    has_other,
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
    """The first action in a text, before its fields are validated."""

    fields: Mapping[str, object]
    """The fields by name: `{"state": "no fee found yet", "code": "print(1)"}`."""
    further_actions: int = 0
    """How many actions follow in the same text. They are not run."""


@dataclass(slots=True)
class FoundObjects:
    """The objects in a text, by kind."""

    text: str
    actions: list[Mapping[str, object]] = field(default_factory=list)
    """Objects with code. The first one is the action."""
    without_code: list[WrittenObject] = field(default_factory=list)
    """Objects before the first action with a field such as `state`, but without code."""
    unrelated_names: list[str] = field(default_factory=list)
    """The keys of the first object that has no field of an action."""
    unreadable: WrittenObject | None = None
    """An object before the first action that looks like an action but is not valid.
    The search ends there: the model probably meant this one. Later ones may be examples."""

    @classmethod
    def of(cls, text: str) -> FoundObjects:
        """Return the objects in a text that are actions, or help to find one."""
        found = cls(text)
        for written in objects_in(text):
            found._add(written)
            if found.unreadable is not None:
                break
        return found

    def _add(self, written: WrittenObject) -> None:
        """Sort an object into its kind."""
        # The action may be in the object: `{"action": {"state": "", "code": "1"}}`.
        fields = unwrapped(written.fields)
        if has_code(fields) and not is_code_empty(fields):
            self.actions.append(fields)
        elif self.actions:
            return  # After an action, only further actions count.
        elif written.value is None and written.is_action:
            # It has a key such as `"code":`, but is neither JSON nor Python.
            self.unreadable = written
        elif has_other(fields):
            self.without_code.append(written)
        elif not self.unrelated_names:
            self.unrelated_names = list(fields)

    def action(self) -> FoundAction | Unusable | None:
        """Return the action; None if there is none.

        If its code cannot be read, return the reason. The action is an object with code,
        or one object without code together with a block of code beside it.
        """
        if self.unreadable is not None:
            code = rescued_code(self.text, self.unreadable)
            return code if isinstance(code, Unusable) else FoundAction({"code": code})
        if self.actions:
            return FoundAction(self.actions[0], len(self.actions) - 1)
        # With two such objects, it is unknown to which one a block of code belongs.
        if len(self.without_code) != 1:
            return None

        state_and_plan = self.without_code[0]
        block = code_block(self.text, beside=state_and_plan)
        if block is None:
            return None
        return FoundAction({**state_and_plan.fields, "code": block})

    def fault(self) -> Unusable:
        """Say what the text has instead of an action."""
        if self.without_code:
            return unusable(Fault.WRONG_SHAPE)
        if self.unrelated_names:
            names = self.unrelated_names[:MAX_SHOWN_NAMES]
            shown = ", ".join(repr(name[:MAX_SHOWN_NAME_CHARS]) for name in names)
            return unusable(Fault.WRONG_SHAPE, f" (it has {shown})")
        return unusable(Fault.NO_OBJECT)
