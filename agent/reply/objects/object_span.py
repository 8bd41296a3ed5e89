"""Finds where an object in a text ends: `{"a": "}"} Yes` -> after the second `}`.

The object ends where its braces are balanced. It need not be valid JSON or Python. The text is
read in tokens, so that braces inside strings do not count. A token is one of these:

    { and }       the braces
    "code":       a key of code, with its colon
    "a" or "}"    any other string
    "             a quotation mark (or three) that opens a string which does not end
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.reply.objects.object_tokens import OPEN_STRINGS, TOKEN

MAX_DEPTH: Final = 100
"""Models do not write deeper objects, and Python's parsers fail on them."""


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
    for match in TOKEN.finditer(text, start):
        token = match[0]
        is_code_key = token.endswith(":")
        if is_code_key:
            has_code_key = True
        elif token in OPEN_STRINGS or depth > MAX_DEPTH:
            break
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return ObjectSpan(match.end(), has_code_key)
    return ObjectSpan(None, has_code_key)
