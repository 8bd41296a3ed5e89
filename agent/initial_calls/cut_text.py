"""The start of a text, as a message to the model shows it.

JSON may be shown without its line breaks and indentation, so more of it is shown than the message
has characters:

| whole text | `text` | `source_chars` | `hidden_chars` |
|---|---|---|---|
| "one\\ntwo", cut after 5 characters | "one\\nt" | 5 | 2 |
| "[\\n  4,\\n  12\\n]", JSON, cut after two lines | "[4," | 7 | 6 |
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

    def without_cut_line(self, whole_text: str) -> CutText:
        """Return this start of `whole_text`, without a last line that is shown only in part.

        | this start | the result |
        |---|---|
        | "one\\nt" of "one\\ntwo" | "one\\n" |
        | "one\\n" of "one\\ntwo", or compact JSON | the same: all lines are whole |
        """
        if self.hidden_chars == 0:
            return self
        line_start = whole_text.rfind("\n", 0, self.source_chars) + 1
        if self.source_chars == line_start:
            return self
        return start_of(whole_text, line_start)


def start_of(text: str, chars: int) -> CutText:
    """Return the first `chars` characters of a text as they are."""
    return CutText(text[:chars], chars, hidden_chars=len(text) - chars)
