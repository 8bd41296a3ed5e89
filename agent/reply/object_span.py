"""Finds where an object in a text ends: `{"a": "}"} Yes` -> after the second `}`.

The text is read as tokens (strings, braces, and keys of code), so braces in strings do not count.
An object ends where its braces are balanced. It need not be valid JSON or Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.reply.action_fields import CODE_NAMES
from controlplane.agent.reply.object_text import STRING

MAX_DEPTH: Final = 100
"""Models do not write deeper objects, and Python's parsers fail on them."""

_CODE_NAME: Final = f"(?:{'|'.join(CODE_NAMES)})"
_CODE_KEY: Final = rf"""(?:"{_CODE_NAME}"|'{_CODE_NAME}'|\b{_CODE_NAME}["']?)\s*:"""
"""A key of code: `"code":`, `'code':` or `code:`.

Also `code":`, which remains of a key after a quotation mark too many. The text
`"a"", "code":` has the tokens `"a"`, `", "` and `code":`."""
_LONG_STRING: Final = r'"""(?:[^\\]|\\.)*?"""' + "|" + r"'''(?:[^\\]|\\.)*?'''"
"""A whole string of Python in triple quotation marks: `\"\"\"a } b\"\"\"`."""
_LONG_QUOTE: Final = '"""' + "|" + "'''"
"""Triple quotation marks."""
_QUOTE: Final = '"' + "|" + "'"
"""A quotation mark."""

_TOKEN: Final = re2.compile(
    # The first alternative that matches counts. So a quotation mark by itself is a token
    # only if it begins a string that does not end.
    rf"(?s){_CODE_KEY}|{_LONG_STRING}|{_LONG_QUOTE}|{STRING}|{_QUOTE}|[{{}}]"
)
"""Matches the next token. `{"state": "a } b", "code": "{}"}` has the tokens

    {   "state"   "a } b"   "code":   "{}"   }

Only the first and the last one are braces of the object: the others are inside strings.
"""
_OPEN_QUOTES: Final = ('"', "'", '"""', "'''")
"""The tokens that begin a string without an end."""


@dataclass(frozen=True, slots=True)
class ObjectSpan:
    """Where an object ends, and what was found on the way."""

    end: int | None
    """The position after the closing brace; None without a closing brace."""
    has_code_key: bool
    """True if a key of code, such as `"code":`, is outside of its strings."""


def span_of_object(text: str, start: int) -> ObjectSpan:
    """Return where the object that opens at `start` ends, and if it has a key of code.

    The tokens are braces, keys of code such as `"code":`, and whole strings. Other text is
    passed over. A string is one token, so braces in it do not count.
    """
    depth = 0
    has_code_key = False
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        is_code_key = token.endswith(":")
        if is_code_key:
            has_code_key = True
        elif token in _OPEN_QUOTES:
            break  # A string begins here, and does not end.
        elif depth > MAX_DEPTH:
            break
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return ObjectSpan(match.end(), has_code_key)
    return ObjectSpan(None, has_code_key)
