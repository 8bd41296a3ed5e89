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


def text_part(
    text: str, start_line: int = 0, end_line: int = 0, start_char: int = 0
) -> TextPart:
    """Return the requested lines of a text, or all, as far as one result can hold.

    Lines count from 1, and so do characters, from the beginning of the whole text; 0 means no
    limit. With the `next_char` of an earlier part as `start_char`, the text goes on after that
    part: of the lines `one`, `two`, `three` with `start_char=5`, from `two` on.
    """
    # Positions, which count from 0.
    start = max(_end_of_lines(text, start_line - 1), start_char - 1)
    end = _end_of_lines(text, end_line) if end_line else len(text)

    part = text[start : min(end, start + bounds.MOST_READ_CHARS)]
    part = part[: _fitting_chars(part)]
    part_end = start + len(part)
    is_cut = part_end < end
    return TextPart(
        text=part,
        first_line=text.count("\n", 0, start) + 1,
        next_char=part_end + 1 if is_cut else 0,
    )


def json_size(value: object) -> int:
    """Return the number of bytes of a value in a result."""
    return len(json_bytes(value))


def _end_of_lines(text: str, line_count: int) -> int:
    """Return the position after this number of lines: 4 after the line `one`.

    It is 0 for no lines, and the end of the text if it has fewer. Only a line feed ends a line.
    """
    position = 0
    for _ in range(line_count):
        line_end = text.find("\n", position)
        if line_end < 0:
            return len(text)
        position = line_end + 1
    return position


def _fitting_chars(text: str) -> int:
    """Return how many characters of a text surely fit in one result.

    Characters outside ASCII need more bytes, so their number is reduced until they fit.
    """
    chars = len(text)
    while json_size(text[:chars]) > bounds.MOST_RESULT_BYTES:
        chars = chars * 2 // 3
    return chars
