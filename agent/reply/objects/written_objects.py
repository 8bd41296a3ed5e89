"""Finds the objects in a reply of a model: `I look first. {"code": "look()"}` has one.

Models also write objects that are neither JSON nor Python, or that have no closing brace. These
are found, too, so that a broken action is not overlooked.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import re2

from controlplane.agent.reply.action_fields import CODE_NAMES, REMARK_NAMES
from controlplane.agent.reply.objects.object_span import span_of_object
from controlplane.agent.reply.objects.object_text import read_object
from controlplane.agent.reply.objects.written_object import WrittenObject

MAX_OPENINGS: Final = 50
"""Max starts of objects that are looked at, so that the work grows linearly with the text. To
find the end of an object may take a pass over the rest of the text."""

_OPENING: Final = re2.compile(r"""\{\s*(?:["']|\w+\s*:)""")
"""Matches the start of an object: `{"`, `{'` or `{name:`."""

_ACTION_FIELD: Final = f"(?:{'|'.join([*CODE_NAMES, *sorted(REMARK_NAMES)])})"
_ACTION_OPENING: Final = re2.compile(rf"""\{{\s*["']?{_ACTION_FIELD}["']?\s*:""")
"""Matches the start of an object whose first field is one of an action: `{"state":`."""


def objects_in(text: str) -> Iterator[WrittenObject]:
    """Yield the objects of a text in order, without the objects inside another one."""
    end_of_last = 0  # of the last object with a closing brace
    for opening in islice(_OPENING.finditer(text), MAX_OPENINGS):
        start = opening.start()
        if start < end_of_last:
            continue  # It is inside of the last object.
        written = _object_at(start, text)
        if written.end is not None:
            end_of_last = written.end
        yield written


def _object_at(start: int, text: str) -> WrittenObject:
    """Return the object whose opening brace is at `start`."""
    span = span_of_object(text, start)
    if span.end is None:
        # It may have been cut off before its code, so its first field counts, too.
        is_action = span.has_code_key or bool(_ACTION_OPENING.match(text, start))
        return WrittenObject(start, None, {}, is_broken_action=is_action)
    fields = read_object(text[start : span.end])
    if fields is None:
        return WrittenObject(start, span.end, {}, is_broken_action=span.has_code_key)
    return WrittenObject(start, span.end, fields)
