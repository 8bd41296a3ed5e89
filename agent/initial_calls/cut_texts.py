"""Cuts the texts of files and results, so that they fit into the messages to the model.

Indented JSON may be shown *compact*, without its blanks and line breaks, so that more of it fits:

| function | 5 characters of "one\\ntwo" | JSON |
|---|---|---|
| `cut_to_line` | "one" | as it is |
| `compact_to_line` | "one" | compact |
| `compact_start` | "one\\nt" | compact |
"""

from __future__ import annotations

from controlplane.agent.initial_calls.cut_text import CutText, start_of
from controlplane.agent.initial_calls.indented_json import (
    compact_json,
    is_indented_json,
)


def cut_to_line(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of a text as fit. A first line that is too long is cut."""
    if len(text) <= max_chars:
        return CutText(text, len(text))
    # The newline after the last line is not shown, so it may lie just beyond the room.
    line_end = text.rfind("\n", 0, max_chars + 1)
    return start_of(text, line_end if line_end > 0 else max_chars)


def compact_to_line(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of a text as fit, JSON without indentation.

    A first line that is too long is cut.
    """
    if is_indented_json(text):
        start = compact_json(text, max_chars)
        if start.text:  # At least one line fits.
            return start
    return cut_to_line(text, max_chars)


def compact_start(text: str, max_chars: int) -> CutText:
    """Return the start of a text that fits into `max_chars`, JSON without indentation.

    JSON is cut between two lines. If not even its first line fits, the start is empty.
    Any other text is cut right after `max_chars`, even in the middle of a line.
    """
    if is_indented_json(text):
        return compact_json(text, max_chars)
    return start_of(text, min(max_chars, len(text)))


def shown_length(text: str) -> int:
    """Return the number of characters that a text takes if it is shown in full."""
    return len(compact_start(text, len(text)).text)
