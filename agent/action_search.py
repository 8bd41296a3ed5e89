"""Finds the first action in a text: in an object, or in code outside of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import re2

from controlplane.agent.action_objects import (
    has_code,
    has_other,
    is_code_empty,
    unwrapped,
)
from controlplane.agent.broken_action import rescued_code
from controlplane.agent.code_repairs import unescaped
from controlplane.agent.unusable_reply import Fault, Unusable, unusable
from controlplane.agent.written_code import (
    code_block,
    state_line,
    untagged_block,
    xml_call,
)
from controlplane.agent.written_objects import WrittenObject, objects_in
from controlplane.sandbox.interface import well_formed

MAX_SHOWN_NAMES: Final = 5
MAX_SHOWN_NAME_CHARS: Final = 40
ESCAPED_OBJECT: Final = re2.compile(r'\{\s*\\"')
r"""Matches the start of an object that was escaped once too often: `{\"state\":
\"...\"}`."""


@dataclass(frozen=True, slots=True)
class FoundAction:
    """The first action in a text, before its fields are validated."""

    fields: Mapping[str, object]
    further_actions: int = 0


@dataclass(slots=True)
class FoundObjects:
    """The objects in a text, by kind."""

    actions: list[Mapping[str, object]] = field(default_factory=list)
    """Objects with code. The first one is the action."""
    without_code: list[WrittenObject] = field(default_factory=list)
    """Objects before the first action with a field such as `state`, but no code."""
    unrelated_names: list[str] = field(default_factory=list)
    """The keys of the first object that has no field of an action."""
    unreadable: WrittenObject | None = None
    """An object before the first action that looks like an action but cannot be read.

    The search ends there: the model probably meant this object, and later ones may be
    examples."""


def find_action(text: str) -> FoundAction | Unusable:
    """Return the first action in a text, or the reason why it has none."""
    objects = find_objects(text)
    found = _action_in_objects(objects, text)
    if found is not None:
        return found
    unescaped_text = _unescaped_object(text)
    if unescaped_text:
        return _find_unescaped(unescaped_text)
    return _action_without_object(objects, text)


def _find_unescaped(text: str) -> FoundAction | Unusable:
    """Return the first action in a text that had an extra level of escapes."""
    objects = find_objects(text)
    found = _action_in_objects(objects, text)
    return found or _action_without_object(objects, text)


def find_objects(text: str) -> FoundObjects:
    """Return the objects in a text that are actions, or that help to find one."""
    found = FoundObjects()
    for written in objects_in(text):
        fields = unwrapped(written.fields)
        if has_code(fields) and not is_code_empty(fields):
            found.actions.append(fields)
            continue
        if found.actions:
            continue  # After an action, only further actions count.
        if written.value is None and written.is_action:
            found.unreadable = written
            break
        if has_other(fields):
            found.without_code.append(written)
        elif not found.unrelated_names:
            found.unrelated_names = list(fields)
    return found


def _action_in_objects(
    objects: FoundObjects, text: str
) -> FoundAction | Unusable | None:
    """Return the action that an object in a text is, or begins."""
    if objects.unreadable is not None:
        code = rescued_code(text, objects.unreadable)
        return code if isinstance(code, Unusable) else FoundAction({"code": code})
    if objects.actions:
        return FoundAction(objects.actions[0], len(objects.actions) - 1)

    # An object with state and plan, and its code in a fence next to it.
    if len(objects.without_code) == 1:
        beside = objects.without_code[0]
        code_beside = code_block(text, beside=beside)
        if code_beside is not None:
            return FoundAction({**beside.fields, "code": code_beside})
    return None


def _unescaped_object(text: str) -> str:
    """Return an object that is escaped once too often, without these escapes."""
    escaped = ESCAPED_OBJECT.search(text)
    if escaped is None:
        return ""
    object_text = text[escaped.start() : text.rfind("}") + 1]
    return well_formed(unescaped(object_text) or "")


def _action_without_object(objects: FoundObjects, text: str) -> FoundAction | Unusable:
    """Return code outside of JSON, or else what a text has instead of an action."""
    if objects.without_code:
        return unusable(Fault.WRONG_SHAPE)
    bare_code = _find_bare_code(text)
    if bare_code is not None:
        return bare_code
    if objects.unrelated_names:
        names = objects.unrelated_names[:MAX_SHOWN_NAMES]
        shown = ", ".join(repr(name[:MAX_SHOWN_NAME_CHARS]) for name in names)
        return unusable(Fault.WRONG_SHAPE, f" (it has {shown})")
    return unusable(Fault.NO_OBJECT)


def _find_bare_code(text: str) -> FoundAction | None:
    """Return code outside of JSON: from an XML call, or a fence with or without
    `python`."""
    call = xml_call(text)
    if call is not None:
        return FoundAction({"code": call.code}, call.further_calls)
    code = code_block(text)
    if code is None:
        code = untagged_block(text)
    if code is None:
        return None
    return FoundAction({"state": state_line(text), "code": code})
