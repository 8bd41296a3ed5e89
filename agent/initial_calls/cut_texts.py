"""Cuts the texts of files and results between two lines, so that they fit into the messages.

Of the text "one\\ntwo", 5 characters may be shown:

| function | shows | for |
|---|---|---|
| `whole_lines` | "one\\n" | a model that can go on to read at "two" |
| `cut_to_line` | "one" | a message with other texts after it |

`compact_lines` and `compact_to_line` do the same, but show indented JSON without its blanks and line
breaks, so that more of it fits.
"""

from __future__ import annotations

from controlplane.agent.initial_calls.cut_text import CutText, start_of
from controlplane.agent.initial_calls.indented_json import (
    compact_json,
    is_indented_json,
)


def whole_lines(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of a text as fit, with their newlines. It may be none."""
    if len(text) <= max_chars:
        return start_of(text, len(text))
    return start_of(text, text.rfind("\n", 0, max_chars) + 1)


def compact_lines(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of a text as fit, JSON without indentation. It may be none."""
    if is_indented_json(text):
        return compact_json(text, max_chars)
    return whole_lines(text, max_chars)


def shown_length(text: str) -> int:
    """Return the number of characters of a text, JSON without indentation."""
    return len(compact_lines(text, len(text)).text)


def cut_to_line(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of a text as fit. A first line that is too long is cut."""
    if len(text) <= max_chars:
        return start_of(text, len(text))
    # The newline after the last line is not shown, so it may lie just beyond the room.
    line_end = text.rfind("\n", 0, max_chars + 1)
    return start_of(text, line_end if line_end > 0 else max_chars)


def compact_to_line(text: str, max_chars: int) -> CutText:
    """Return what `cut_to_line` does, but JSON without indentation."""
    if is_indented_json(text):
        start = compact_json(text, max_chars)
        if start.text:  # At least one line fits.
            return start
    return cut_to_line(text, max_chars)
