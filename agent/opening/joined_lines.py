"""Joins the lines of a record, whose indentation says nothing."""

from __future__ import annotations

import re
from typing import Final

_KEY: Final = re.compile(r'("(?:[^"\\]|\\.)*"): ')
"""A field's name at the beginning of a line, with the blank behind it."""


def joined_lines(text: str, room: int) -> tuple[str, int]:
    """Return the text in at most `room` characters, and how many characters of it that shows.

    The lines of a JSON object or list are joined without blanks; any other text stays as it is.
    """
    if not text.startswith(("{", "[")):
        return text[:room], min(len(text), room)
    shown: list[str] = []
    used = consumed = 0
    for line in text.splitlines(keepends=True):
        part = _KEY.sub(r"\1:", line.strip(), count=1) if line[:1].isspace() else line.strip()
        if used + len(part) > room:
            break
        used += len(part)
        shown.append(part)
        consumed += len(line)
    return "".join(shown), consumed
