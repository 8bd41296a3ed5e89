"""The start of a text, as a message to the model shows it.

JSON may be shown without its line breaks and indentation, so more of it is shown than the message
has characters:

| whole text | `text` | `source_chars` | `hidden_chars` |
|---|---|---|---|
| "one\\ntwo", of which one line is shown | "one\\n" | 4 | 3 |
| "[\\n  4,\\n  12\\n]", JSON, of which two lines are shown | "[4," | 7 | 6 |
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CutText:
    """The start of a text."""

    text: str
    """What is shown."""
    source_chars: int
    """How many characters of the whole text it stands for."""
    hidden_chars: int = 0
    """How many characters of the whole text follow them."""


def start_of(text: str, chars: int) -> CutText:
    """Return the first `chars` characters of a text as they are."""
    return CutText(text[:chars], chars, hidden_chars=len(text) - chars)
