"""The different texts that a trial's calls have seen, each kept once, in limited memory.

An answer may cite what was read, so the texts are kept until the trial ends. A script may
read one file a hundred times, and a file may have gigabytes:

    add(SeenText("fee: 7"))             -> the text, kept
    add(SeenText("fee: 7"))             -> the same object: it is kept once
    add(SeenText("a very long one"))    -> SeenText("a very", is_whole=False), if no more fits
    add(SeenText("late: 21"))           -> SeenText("", is_whole=False): only that there was a text
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds

TEXT_OVERHEAD_BYTES: Final = 500
"""An estimate of the memory that a seen text takes besides its characters."""
NON_ASCII_CHAR_BYTES: Final = 4
"""The most memory that a character takes in a text that is not ASCII. In ASCII texts it takes 1."""


class SeenTexts:
    """The texts of one trial, in the order in which they were first seen."""

    def __init__(self, most_bytes: int = 0) -> None:
        """`most_bytes` is the most memory for texts; 0 stands for the usual amount."""
        self.texts: list[SeenText] = []
        """The kept texts. Others may keep this list: it only grows at its end."""
        self._kept: dict[SeenText, SeenText] = {}
        """Finds the kept text that is equal to another one."""
        self._room_bytes = most_bytes or bounds.MOST_EVIDENCE_BYTES

    def add(self, seen: SeenText) -> SeenText:
        """Return the text that is kept: an equal one, or else this one, cut if it is too long."""
        kept = self._kept.get(seen)
        if kept is not None:
            return kept

        # The text is kept with the words that scripts have supplied in it.
        chars = len(seen.text) + len(seen.script_words)
        bytes_needed = chars * _bytes_per_char(seen.text + seen.script_words)
        if bytes_needed > self._room_bytes:
            seen = _cut(seen, self._room_bytes)
            bytes_needed = self._room_bytes  # Nothing of the room is left.
            kept = self._kept.get(seen)
            if kept is not None:
                return kept  # Another text was cut to the same beginning.

        self._kept[seen] = seen
        self.texts.append(seen)
        remaining_bytes = self._room_bytes - bytes_needed - TEXT_OVERHEAD_BYTES
        self._room_bytes = max(remaining_bytes, 0)
        return seen


def _bytes_per_char(text: str) -> int:
    """Return the most memory that a character of a text takes."""
    return 1 if text.isascii() else NON_ASCII_CHAR_BYTES


def _cut(seen: SeenText, room_bytes: int) -> SeenText:
    """Return the beginning of a text that fits in `room_bytes`.

    A text with `script_words` is cut to nothing: they do not fit, and without them nobody can
    tell what the text proves.
    """
    kept_chars = 0
    if not seen.script_words:
        kept_chars = room_bytes // _bytes_per_char(seen.text)
    return replace(seen, text=seen.text[:kept_chars], is_whole=False, script_words="")
