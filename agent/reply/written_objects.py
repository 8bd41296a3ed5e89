"""Finds the objects in a text: `I look first. {"code": "look()"}` has one.

`objects_in` also yields objects that are neither JSON nor Python, and objects without a closing
brace, because models write both. The time that it takes grows linearly with the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import re2

from controlplane.agent.reply.action_fields import CODE_NAMES, REMARK_NAMES
from controlplane.agent.reply.object_span import span_of_object
from controlplane.agent.reply.object_text import read_object

MAX_OBJECTS: Final = 50
"""Max objects that are read in a text. Each may cost one pass over the rest of the text."""

_FIELD_NAME: Final = f"(?:{'|'.join([*CODE_NAMES, *sorted(REMARK_NAMES)])})"
"""Matches the name of a field of an action, such as `state` or `code`."""
_OPENING: Final = re2.compile(r"""\{\s*(?:["']|\w+\s*:)""")
"""Matches the start of an object: `{"`, `{'` or `{name:`."""
_ACTION_OPENING: Final = re2.compile(rf"""\{{\s*["']?{_FIELD_NAME}["']?\s*:""")
"""Matches the start of an object whose first field belongs to an action: `{"state":`. This
is how an object is recognised that was cut off before its code."""


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
        span = span_of_object(text, start)
        if span.end is None:
            is_action = span.has_code_key or bool(_ACTION_OPENING.match(text, start))
            yield WrittenObject(start, end=None, value=None, is_action=is_action)
        else:
            last_end = span.end
            value = read_object(text[start:last_end])
            yield WrittenObject(start, last_end, value, is_action=span.has_code_key)
