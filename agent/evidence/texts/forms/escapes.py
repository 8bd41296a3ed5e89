"""A text as a tool may repeat it: with its escapes resolved, or written as JSON.

What a script has passed to a tool is not a fact, even if the tool prints it in another form. So a
result is compared with each form of the passed text. The escape `\\u00e9` stands for `é`:

    without_escapes("caf\\u00e9")   -> "café", if the tool resolves escapes
    as_json("café")                 -> ['"caf\\u00e9"', '"café"'], if the tool returns JSON
"""

from __future__ import annotations

import json
from typing import Final

import re2

from controlplane.gates.surrogates import encodable

_ESCAPES: Final = re2.compile(r"(?:\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[bfnrt]))+")
"""Escapes in a row, such as `\\u00e9\\n`. A tool may print the characters that they
stand for. They are resolved together, because an emoji has two: `\\ud83d\\ude00` is 😀."""


def without_escapes(text: str) -> str:
    """Return a text with its escapes resolved: `caf\\u00e9 -> café`, `caf\\xe9 -> café`."""

    def resolve(match: re2._Match) -> str:
        # JSON can resolve them, except `\xe9`, which it writes as `\u00e9`.
        json_escapes = match[0].replace("\\x", "\\u00")
        return str(json.loads(f'"{json_escapes}"'))

    # RE2 refuses a half of a surrogate pair, which `encodable` replaces by `?`.
    return str(_ESCAPES.sub(resolve, encodable(text)))


def as_json(text: str) -> list[str]:
    """Return a text as a tool writes it in JSON; nothing if JSON adds only the quotes around it.

    Some tools escape letters such as `é`, and some do not, so for these there are two forms.
    """
    has_signs_to_escape = not text.isprintable() or "\\" in text or '"' in text
    if text.isascii():
        return [json.dumps(text)] if has_signs_to_escape else []
    return [json.dumps(text), json.dumps(text, ensure_ascii=False)]
