"""Finds where an object in a text ends: `{"a": "}"} Yes` -> after the second `}`.

The object ends where its braces are balanced. It need not be valid JSON or Python. The text is
read in tokens, so that braces inside strings do not count: `{"a": "}"}` has the tokens `{`,
`"a"`, `"}"` and `}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.reply.action_fields import CODE_NAMES
from controlplane.agent.reply.object_text import STRING

MAX_DEPTH: Final = 100
"""Models do not write deeper objects, and Python's parsers fail on them."""

# The tokens. All other text is passed over.

_BRACE: Final = "[{}]"

_LONG_STRING: Final = r'"""(?:[^\\]|\\.)*?"""' + "|" + r"'''(?:[^\\]|\\.)*?'''"
"""A whole string of Python in triple quotation marks: `'''a } b'''`."""

_LONG_QUOTES: Final = ('"""', "'''")
_QUOTES: Final = ('"', "'")
_OPEN_STRINGS: Final = (*_LONG_QUOTES, *_QUOTES)
"""If one of these marks is a token by itself, it begins a string that does not end."""

_CODE_NAME: Final = f"(?:{'|'.join(CODE_NAMES)})"
_CODE_KEY: Final = rf"""(?:"{_CODE_NAME}"|'{_CODE_NAME}'|\b{_CODE_NAME}["']?)\s*:"""
"""The key of an action's code: `"code":`, `'code':` or `code:`.

Also `code":`, because models write one mark too many: `{"state": "a"", "code": "1"}`. Read from
the left, this has the string `"a"`, then the string `", "`, and then `code":`."""

_TOKEN: Final = re2.compile(
    # The first form that matches is the token. So a quotation mark is a token by itself only
    # if neither a key of code nor a whole string begins with it.
    "(?s)"
    + "|".join((_CODE_KEY, _LONG_STRING, *_LONG_QUOTES, STRING, *_QUOTES, _BRACE))
)


@dataclass(frozen=True, slots=True)
class ObjectSpan:
    """Where an object ends, and whether it looks like an action."""

    end: int | None
    """The position after the closing brace; None without a closing brace."""
    has_code_key: bool
    """True if a key of code, such as `"code":`, is outside of its strings."""


def span_of_object(text: str, start: int) -> ObjectSpan:
    """Return the span of the object whose opening brace is at `start`.

    `{"code": "1"} Yes` -> the end 13, with a key of code
    `{"a": "b`          -> no end, because a string begins that does not end
    """
    depth = 0  # how many braces are open
    has_code_key = False
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        is_code_key = token.endswith(":")
        if is_code_key:
            has_code_key = True
        elif token in _OPEN_STRINGS or depth > MAX_DEPTH:
            break
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return ObjectSpan(match.end(), has_code_key)
    return ObjectSpan(None, has_code_key)
