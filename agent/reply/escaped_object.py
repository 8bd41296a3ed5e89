r"""Reads an object that a model has escaped once too often, as if it were inside a JSON string.

| reply | object |
|---|---|
| `{\"code\": \"print(1)\"}` | `{"code": "print(1)"}` |
| `{"code": "print(\"a\")"}` | none: its marks are not escaped, only those in a string |
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.reply.code.program_text import unescaped
from controlplane.sandbox.interface import well_formed

ESCAPED_OBJECT: Final = re2.compile(r'\{\s*\\"')
r"""Matches the start of an object that was escaped once too often: `{\"state\": \"...\"}`."""


def plain_object(text: str) -> str:
    """Return the object in a text, without the escapes; empty if there is no such object."""
    opening = ESCAPED_OBJECT.search(text)
    if opening is None:
        return ""
    escaped_object = text[opening.start() : text.rfind("}") + 1]
    plain_text = unescaped(escaped_object)
    if plain_text is None:
        return ""  # The object has escapes that JSON does not know.
    return well_formed(plain_text)
