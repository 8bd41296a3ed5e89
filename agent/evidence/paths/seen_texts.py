"""The different texts that a trial's calls have seen, each kept once, in limited memory.

An answer may cite what was read, so the texts are kept until the trial ends. A script may
read one file a hundred times, and a file may have gigabytes:

    add(SeenText("fee: 7"))             -> the text, kept; for an equal one later, the same object
    add(SeenText("a very long one"))    -> SeenText("a very", is_cut=True), if no more fits
    add(SeenText("late: 21"))           -> SeenText("", is_cut=True): only that there was a text
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds

TEXT_OVERHEAD_BYTES: Final = 500
"""An estimate of the memory that a seen text takes besides its characters."""
NON_ASCII_CHAR_BYTES: Final = 4
"""The most memory that a character takes in a text that is not ASCII."""


class SeenTexts:
    """The texts of one trial, in the order in which they were first seen."""

    def __init__(self, most_bytes: int = 0) -> None:
        """`most_bytes` is the most memory for texts; 0 stands for the usual amount."""
        self.texts: list[SeenText] = []
        """The kept texts. Others may keep this list: it only grows at its end."""
        self._kept: dict[tuple[SeenText, tuple[int, ...]], SeenText] = {}
        """Finds the kept text that is equal to another one, and stands on the same lines."""
        self._room_bytes = most_bytes or bounds.MOST_EVIDENCE_BYTES

    def add(self, seen: SeenText) -> SeenText:
        """Return the text that is kept: an equal one, or else this one, cut if it is too long."""
        kept = self._kept.get((seen, seen.lines))
        if kept is not None:
            return kept
        text_chars = len(seen.text) + len(seen.unproven_words)
        text_bytes = text_chars * _bytes_per_char(seen.text, seen.unproven_words)
        if text_bytes > self._room_bytes:
            return self._add_beginning(seen)
        self._room_bytes = max(self._room_bytes - text_bytes - TEXT_OVERHEAD_BYTES, 0)
        return self._keep(seen)

    def _add_beginning(self, seen: SeenText) -> SeenText:
        """Return the beginning of a text that does not fit, kept in all the room that remains."""
        beginning = _beginning(seen, self._room_bytes)
        kept = self._kept.get((beginning, beginning.lines))
        if kept is None:
            kept = self._keep(beginning)
            self._room_bytes = 0
        return kept

    def _keep(self, seen: SeenText) -> SeenText:
        """Keep a text that is not kept yet, and return it."""
        self._kept[seen, seen.lines] = seen
        self.texts.append(seen)
        return seen


def _beginning(seen: SeenText, room_bytes: int) -> SeenText:
    """Return the beginning of a text that fits in `room_bytes`."""
    if seen.unproven_words:
        # They do not fit, and without them nobody could tell what the text proves.
        return replace(seen, text="", is_cut=True, unproven_words="")
    kept_chars = room_bytes // _bytes_per_char(seen.text)
    return replace(seen, text=seen.text[:kept_chars], is_cut=True)


def _bytes_per_char(*texts: str) -> int:
    """Return the most memory that a character of these texts takes."""
    return 1 if all(text.isascii() for text in texts) else NON_ASCII_CHAR_BYTES
