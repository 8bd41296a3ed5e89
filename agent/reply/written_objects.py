"""Finds the objects in a text: `I look first. {"code": "look()"}` has one.

Models forget closing braces, and write braces in strings. So the text is read as tokens
(strings, braces, and keys of code), and an object ends where its braces are balanced.
`objects_in` also yields objects that are neither JSON nor Python. The time that it takes
grows linearly with the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import re2

from controlplane.agent.reply.action_fields import CODE_NAMES, REMARK_NAMES
from controlplane.agent.reply.object_text import STRING, read_object

MAX_OBJECTS: Final = 50
"""Max objects that are read in a text. Each may cost one pass over the rest of the text."""
MAX_DEPTH: Final = 100
"""Models do not write deeper objects, and Python's parsers fail on them."""

_CODE_NAME: Final = f"(?:{'|'.join(CODE_NAMES)})"
_FIELD_NAME: Final = f"(?:{'|'.join([*CODE_NAMES, *sorted(REMARK_NAMES)])})"

_OPENING: Final = re2.compile(r"""\{\s*(?:["']|\w+\s*:)""")
"""Matches the start of an object: `{"`, `{'` or `{name:`."""
_ACTION_OPENING: Final = re2.compile(rf"""\{{\s*["']?{_FIELD_NAME}["']?\s*:""")
"""Matches the start of an object whose first field belongs to an action: `{"state":`. This
is how an object is recognised that was cut off before its code."""

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
class WrittenObject:
    """An object in a text, with its position: `{"code": "look()"}` in a reply of a model."""

    start: int
    end: int | None
    """The position after the closing brace; None without a closing brace."""
    value: dict[str, object] | None
    """None if the object cannot be read."""
    is_action: bool
    """True if the object seems to be an action, even if it cannot be read: it has a key of
    code, such as `"code":`, outside of its strings.

    An object without an end may have been cut off before its code. It counts as an action
    if its first field belongs to one, as in `{"state": "reading`."""

    @property
    def fields(self) -> dict[str, object]:
        """The fields; empty if the object cannot be read."""
        return self.value or {}

    def covers(self, position: int) -> bool:
        """Return True if a position of the text is inside the object, if its end is known."""
        return self.end is not None and self.start < position < self.end


def objects_in(text: str) -> Iterator[WrittenObject]:
    """Yield the objects of a text in order, without the objects inside another one.

    Only the first `MAX_OBJECTS` opening braces are looked at, those of inner objects, too.
    """
    last_end = 0  # the end of the last closed object
    for opening in islice(_OPENING.finditer(text), MAX_OBJECTS):
        start = opening.start()
        if start < last_end:
            continue
        span = _span_of_object(text, start)
        if span.end is None:
            is_action = span.has_code_key or bool(_ACTION_OPENING.match(text, start))
            yield WrittenObject(start, end=None, value=None, is_action=is_action)
        else:
            last_end = span.end
            value = read_object(text[start:last_end])
            yield WrittenObject(start, last_end, value, is_action=span.has_code_key)


@dataclass(frozen=True, slots=True)
class _Span:
    """Where an object ends, and what was found on the way."""

    end: int | None
    """The position after the closing brace; None without a closing brace."""
    has_code_key: bool
    """True if a key of code, such as `"code":`, is outside of its strings."""


def _span_of_object(text: str, start: int) -> _Span:
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
                return _Span(match.end(), has_code_key)
    return _Span(None, has_code_key)
