"""Sorts the objects in a reply of the model, to find the action among them.

An action is an object with code to run. The reply

    I note {"path": "/a.md"}. {"state": "", "code": "print(1)"}

has the action `{"state": "", "code": "print(1)"}`, and the unrelated object `{"path": "/a.md"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.reply.action_fields import has_code_to_run, has_remark
from controlplane.agent.reply.objects.written_object import WrittenObject
from controlplane.agent.reply.objects.written_objects import objects_in
from controlplane.agent.reply.wrapped_action import unwrapped


@dataclass(frozen=True, slots=True)
class FoundObjects:
    """The objects in a reply, sorted by what they tell about its action.

    | object | belongs to |
    |---|---|
    | `{"state": fee read, "code": "print(1)"}`: not JSON, as quotes are missing | `broken_action` |
    | `{"state": "", "code": "print(1)"}` | `actions` |
    | `{"state": ""}` | `without_code` |
    | `{"path": "/a.md"}` | `unrelated_fields` |
    """

    text: str
    """The reply."""
    actions: list[Mapping[str, object]]
    """The fields of each action."""
    broken_action: WrittenObject | None
    """An action that cannot be read; None if a readable action stands before it. The objects
    after it may be examples, so they are in none of these fields."""
    without_code: list[WrittenObject]
    """The objects that have other fields of an action (`state`, `plan`, `done`), but no code."""
    unrelated_fields: Mapping[str, object]
    """The fields of the first object of another kind; empty if there is none."""

    @classmethod
    def of(cls, text: str) -> FoundObjects:
        """Sort the objects in a reply. One that cannot be read, and is no action, is left out."""
        actions: list[Mapping[str, object]] = []
        broken_action: WrittenObject | None = None
        without_code: list[WrittenObject] = []
        unrelated_fields: Mapping[str, object] = {}
        for written in objects_in(text):
            if written.is_broken_action and not actions:
                broken_action = written
                break
            # The action may be inside the object: `{"action": {"state": "", "code": "1"}}`.
            fields = unwrapped(written.fields)
            if has_code_to_run(fields):
                actions.append(fields)
            elif has_remark(fields):
                without_code.append(written)
            elif not unrelated_fields:
                unrelated_fields = fields
        return cls(
            text=text,
            actions=actions,
            broken_action=broken_action,
            without_code=without_code,
            unrelated_fields=unrelated_fields,
        )
