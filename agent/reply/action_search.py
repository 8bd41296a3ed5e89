"""Finds the action in a reply of the model: the script to run, and the fields beside it.

The reply should have a JSON object: `{"state": "...", "code": "print(1)"}`. Code in another form,
such as a block of Markdown, is an action, too.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.reply.code.code_block import code_block
from controlplane.agent.reply.code.program_text import unescaped
from controlplane.agent.reply.code.stated_code import state_line, untagged_block
from controlplane.agent.reply.found_action import FoundAction, action_among, fault_of
from controlplane.agent.reply.found_objects import FoundObjects
from controlplane.agent.reply.unusable_reply import Unusable
from controlplane.agent.reply.xml_call import xml_call
from controlplane.sandbox.interface import well_formed

ESCAPED_OBJECT: Final = re2.compile(r'\{\s*\\"')
r"""Matches the start of an object that was escaped once too often: `{\"state\": \"...\"}`."""


def find_action(text: str) -> FoundAction | Unusable:
    """Return the first action in a text, or the reason why it has none."""
    # 1. A JSON object: `{"state": "...", "code": "print(1)"}`
    objects = FoundObjects.of(text)
    action = action_among(objects)
    if action is not None:
        return action

    # 2. An object that was escaped once too often: `{\"code\": \"print(1)\"}`
    plain_text = _without_extra_escapes(text)
    if plain_text:
        objects = FoundObjects.of(plain_text)
        action = action_among(objects)
        if action is not None:
            return action

    # 3. Code outside of JSON: an XML call, or a block of Markdown. But if the model wrote
    #    `{"state": "..."}`, it meant this as the action, and other code is not used.
    if objects.remarks:
        return fault_of(objects)
    return _bare_code(objects.text) or fault_of(objects)


def _without_extra_escapes(text: str) -> str:
    """Return the object in a text that is escaped once too often; empty if there is none.

    `{\\"code\\": \\"1\\"}` -> `{"code": "1"}`
    """
    opening = ESCAPED_OBJECT.search(text)
    if opening is None:
        return ""
    escaped_object = text[opening.start() : text.rfind("}") + 1]
    plain_object = unescaped(escaped_object)
    if plain_object is None:
        return ""  # The object has escapes that JSON does not know.
    return well_formed(plain_object)


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
