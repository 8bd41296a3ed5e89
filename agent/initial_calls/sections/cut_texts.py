"""Returns as many whole lines of a text as fit into a message, for a model that can read on.

Of the text "one\\ntwo", with room for 5 characters, the model gets "one\\n". It can ask for the rest
from the next line on. JSON with indentation may be shown without it, so that more of it fits.
"""

from __future__ import annotations

from controlplane.agent.initial_calls.sections.cut_text import CutText, start_of
from controlplane.agent.initial_calls.sections.indented_json import (
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
