"""Escapes in a text, such as `\\u00e9` for `é`, which tools resolve or add.

A script could pass `caf\\u00e9` to a tool, and cite the word `café` in its result. The word is the
script's own. To recognise it, what a script passes is compared in both forms:

    without_escapes("caf\\u00e9")   -> "café", as a tool may print it
    as_json("café")                 -> ['"caf\\u00e9"', '"café"'], as a tool may write it in JSON
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

    return str(_ESCAPES.sub(resolve, encodable(text)))


def as_json(text: str) -> list[str]:
    """Return a text as a tool writes it in JSON; nothing if JSON does not change it.

    JSON can make new words: a line break before `oon` becomes `\\noon`, which has the word
    `noon`. Some tools escape letters such as `é`, so for these there are two forms.
    """
    has_signs_to_escape = not text.isprintable() or "\\" in text or '"' in text
    if text.isascii():
        return [json.dumps(text)] if has_signs_to_escape else []
    return [json.dumps(text), json.dumps(text, ensure_ascii=False)]
