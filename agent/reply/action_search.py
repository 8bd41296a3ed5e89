"""Finds the action in a reply of the model: the script to run, and the fields beside it.

The reply should have it as a JSON object: `{"state": "...", "code": "print(1)"}`. Code
that a reply has in another form, such as a block of Markdown, is an action, too.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.reply.found_objects import FoundAction, FoundObjects
from controlplane.agent.reply.program_text import unescaped
from controlplane.agent.reply.unusable_reply import Unusable
from controlplane.agent.reply.written_code import code_block, state_line, untagged_block
from controlplane.agent.reply.xml_call import xml_call
from controlplane.sandbox.interface import well_formed

ESCAPED_OBJECT: Final = re2.compile(r'\{\s*\\"')
r"""Matches the start of an object that was escaped once too often: `{\"state\": \"...\"}`."""


def find_action(text: str) -> FoundAction | Unusable:
    r"""Return the first action in a text, or the reason why it has none.

    The forms of an action are tried in this order:

    1. a JSON object: `{"state": "...", "code": "print(1)"}`
    2. an object that was escaped once too often: `{\"code\": \"print(1)\"}`
    3. code outside of JSON: an XML call, or a block of Markdown
    """
    objects = FoundObjects.of(text)
    found = objects.action()
    if found is None:
        plain_text = _without_extra_escapes(text)
        if plain_text:
            # From here on, `objects` are those of this text.
            objects = FoundObjects.of(plain_text)
            found = objects.action()
    # An object with a `state` but no code (`objects.without_code`) was meant as the action, and
    # its code is missing. Other code in the text is then not used in its place.
    if found is None and not objects.without_code:
        found = _bare_code(objects.text)
    return found or objects.fault()


def _without_extra_escapes(text: str) -> str:
    """Return the object in a text that is escaped once too often; empty if there is none.

    `{\\"code\\": \\"1\\"}` -> `{"code": "1"}`
    """
    start = ESCAPED_OBJECT.search(text)
    if start is None:
        return ""
    escaped = text[start.start() : text.rfind("}") + 1]
    return well_formed(unescaped(escaped) or "")


def _bare_code(text: str) -> FoundAction | None:
    """Return code outside of JSON: from an XML call, or a fence with or without `python`."""
    call = xml_call(text)
    if call is not None:
        return FoundAction({"code": call.code}, call.further_calls)
    code = code_block(text)
    if code is None:
        code = untagged_block(text)
    if code is None:
        return None
    return FoundAction({"state": state_line(text), "code": code})
