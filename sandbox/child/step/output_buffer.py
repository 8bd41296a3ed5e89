"""The printed text of a step, of which the beginning and the end are kept."""

from __future__ import annotations

from typing import Final

FLUSH_CHARS: Final = 16_000
"""As soon as this much printed text waits, it is sent in a message of its own."""


class OutputBuffer:
    """Keeps the beginning and the end of what a step prints, at most `max_chars` characters.

    The first half of the permitted text is sent to the parent while the step runs. Of
    all text after that, only the last characters are kept, as many as the other half
    permits. They are sent with the end of the step. With 10 characters permitted,
    `abcdefghijklmnop` becomes `abcde`, a note that 6 are cut out, and `lmnop`.
    """

    def __init__(self, max_chars: int) -> None:
        self._max_chars_per_half = max_chars // 2

        self._waiting_parts: list[str] = []
        """Text of the first half that was not sent yet."""
        self.waiting_chars = 0
        """The length of that text."""
        self._first_half_room = self._max_chars_per_half
        """Characters that can still be added to the first half."""

        self._later_parts: list[str] = []
        """Text after the first half, whose beginning may have been dropped."""
        self._later_chars = 0
        """The length of that text, without what was dropped."""
        self._dropped_chars = 0

    def add(self, text: str) -> None:
        """Add printed text."""
        # 1. What belongs to the first half.
        if self._first_half_room > 0:
            beginning = text[: self._first_half_room]
            text = text[self._first_half_room :]
            self._waiting_parts.append(beginning)
            self.waiting_chars += len(beginning)
            self._first_half_room -= len(beginning)

        # 2. All later text. Shortening copies all of it, so it is not done at every call, but only
        #    when there is far more text than is kept.
        if text:
            self._later_parts.append(text)
            self._later_chars += len(text)
            far_more_than_kept = 4 * self._max_chars_per_half + FLUSH_CHARS
            if self._later_chars > far_more_than_kept:
                self._shorten_later_text()

    def waiting_text(self) -> str:
        """Return the text of the first half that was not sent yet. `mark_sent` follows it."""
        return "".join(self._waiting_parts)

    def mark_sent(self) -> None:
        """Forget the text that `waiting_text` returned, because it was sent."""
        self._waiting_parts = []
        self.waiting_chars = 0

    def end(self) -> str:
        """Return the text after the first half, for the last message of the step.

        If some was dropped, a line in front says how much.
        """
        end = self._shorten_later_text()
        if self._dropped_chars:
            return f"\n... {self._dropped_chars} characters cut out here ...\n{end}"
        return end

    def _shorten_later_text(self) -> str:
        """Drop all later text except its last characters, and return these."""
        text = "".join(self._later_parts)
        end = ""
        if self._max_chars_per_half > 0:
            end = text[-self._max_chars_per_half :]
        self._dropped_chars += len(text) - len(end)
        self._later_parts = [end]
        self._later_chars = len(end)
        return end
