"""The part of a result's text that was shown: an answer may only cite this part.

A script gets the whole result of its call. But the initial prompt, which has results of calls, too,
may show only the first characters of a long one:

    ShownText.of("fee: 7", shown_chars=None)   -> ShownText("fee: 7", is_whole=True)
    ShownText.of("fee: 7", shown_chars=3)      -> ShownText("fee", is_whole=False)
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShownText:
    """The text of a result, as far as it was shown."""

    text: str
    is_whole: bool
    """False if the end of the result's text was cut off."""

    @classmethod
    def of(cls, text: str, shown_chars: int | None) -> ShownText:
        """Return the first `shown_chars` characters of a text; None stands for all of it."""
        if shown_chars is None:
            return cls(text, is_whole=True)
        shown = text[: max(shown_chars, 0)]
        return cls(shown, is_whole=len(shown) == len(text))
