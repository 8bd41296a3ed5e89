"""Finds the action in a reply of the model: the script to run, and the fields beside it.

The reply should have a JSON object. Other forms are searched in this order:

| reply | action |
|---|---|
| `{"state": "reading", "code": "print(1)"}` | this object |
| `{\\"code\\": \\"print(1)\\"}` | the object without the needless escapes |
| `state: reading`, and a block of Python with `print(1)` | the state and the code |
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.agent.reply.action_fields import has_remark
from controlplane.agent.reply.code.code_block import code_block
from controlplane.agent.reply.code.stated_code import state_line, untagged_block
from controlplane.agent.reply.escaped_object import plain_object
from controlplane.agent.reply.found_action import FoundAction, action_among
from controlplane.agent.reply.missing_action import fault_of
from controlplane.agent.reply.objects.written_object import WrittenObject
from controlplane.agent.reply.objects.written_objects import objects_in
from controlplane.agent.reply.unusable_reply import Unusable
from controlplane.agent.reply.wrapped_action import unwrapped
from controlplane.agent.reply.xml_call import xml_call


def find_action(text: str) -> FoundAction | Unusable:
    """Return the first action in a text, or the reason why it has none."""
    # 1. A JSON object: `{"state": "...", "code": "print(1)"}`
    objects = _unwrapped_objects(text)
    action = action_among(objects, text)
    if action is not None:
        return action

    # 2. An object that was escaped once too often: `{\"code\": \"print(1)\"}`
    unescaped_object = plain_object(text)
    if unescaped_object:
        text = unescaped_object
        objects = _unwrapped_objects(text)
        action = action_among(objects, text)
        if action is not None:
            return action

    # 3. Code outside of JSON: an XML call, or a block of Markdown. But if the model wrote
    #    `{"state": "..."}`, it meant this as the action, and other code is not used.
    if any(has_remark(written.fields) for written in objects):
        return fault_of(objects)
    return _bare_code(text) or fault_of(objects)


def _unwrapped_objects(text: str) -> list[WrittenObject]:
    """Return the objects in a text. The action may be inside one: `{"action": {"state": "", "code": "1"}}`."""
    return [
        replace(written, fields=unwrapped(written.fields))
        for written in objects_in(text)
    ]


def _bare_code(text: str) -> FoundAction | None:
    """Return an action of code in an XML call, or in a block of Markdown; None if there is none.

    The state is in a line such as `state: reading the rules`.
    """
    call = xml_call(text)
    if call is not None:
        return FoundAction({"code": call.code}, call.further_calls)
    block = code_block(text)
    code = untagged_block(text) if block is None else block.code
    if code is None:
        return None
    return FoundAction({"state": state_line(text), "code": code})
