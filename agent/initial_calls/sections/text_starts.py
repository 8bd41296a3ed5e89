"""Returns the start of a text that a section of the first message has room for.

Other texts come after it, so a newline at its end is not shown. Of the text "one\\ntwo":

    text_start(text, 5)   -> "one", its last whole line
    text_start(text, 2)   -> "on", since not even the first line fits
"""

from __future__ import annotations

from controlplane.agent.initial_calls.sections.cut_text import CutText, start_of
from controlplane.agent.initial_calls.sections.indented_json import (
    compact_json,
    is_indented_json,
)


def text_start(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of a text as fit. A first line that is too long is cut."""
    if len(text) <= max_chars:
        return start_of(text, len(text))
    # The newline after the last line is not shown, so it may lie just beyond the room.
    line_end = text.rfind("\n", 0, max_chars + 1)
    return start_of(text, line_end if line_end > 0 else max_chars)


def compact_text_start(text: str, max_chars: int) -> CutText:
    """Return what `text_start` does, but JSON without indentation."""
    if is_indented_json(text):
        start = compact_json(text, max_chars)
        if start.text:  # At least one line fits.
            return start
    return text_start(text, max_chars)
