"""Parts of a text that fit in the result of one call.

A text of a million characters is read in several calls, each of which says where the next one
begins. Scripts count lines and characters from 1. In the code here, a position counts from 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.json_documents import json_bytes


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text that fits in one result, and where the next part begins."""

    text: str
    first_line: int
    """The line on which the part begins, counted from 1."""
    next_char: int
    """The first character after the part, counted from 1; 0 if nothing was cut."""


def text_part(text: str, start_line: int, end_line: int, start_char: int) -> TextPart:
    """Return the requested lines of a text, from a character on, as far as one result can hold.

    Lines and characters count from 1; 0 means no limit.
    """
    start = _end_of_lines(text, max(start_line - 1, 0))
    end = _end_of_lines(text, end_line) if end_line else len(text)
    start = max(start, start_char - 1)
    part = text[start : min(end, start + bounds.MOST_READ_CHARS)]
    part = part[: _fitting_chars(part)]
    part_end = start + len(part)
    return TextPart(
        text=part,
        first_line=text.count("\n", 0, start) + 1,
        next_char=part_end + 1 if part_end < end else 0,
    )


def json_size(value: object) -> int:
    """Return the number of bytes of a value in a result."""
    return len(json_bytes(value))


def _end_of_lines(text: str, line_count: int) -> int:
    """Return the position after this number of lines. Only a line feed ends a line."""
    position = 0
    for _ in range(line_count):
        line_end = text.find("\n", position)
        if line_end < 0:
            return len(text)
        position = line_end + 1
    return position


def _fitting_chars(text: str) -> int:
    """Return how many characters fit in one result. Those outside ASCII need more bytes."""
    chars = len(text)
    while json_size(text[:chars]) > bounds.MOST_RESULT_BYTES:
        chars = chars * 2 // 3
    return chars
