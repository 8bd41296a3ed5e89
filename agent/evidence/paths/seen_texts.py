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

from controlplane.gates.trial import SeenText
from controlplane.sandbox.interface import bounds

# The memory that a text takes that a trial has seen, and its beginning, if there is less room.
#
# A script may read a file of gigabytes. If there is no room for all of a text, its beginning is
# kept, with a mark that more was seen:
#
#     beginning_of(SeenText("a very long one"), room_bytes=6)   -> SeenText("a very", is_cut=True)
#     beginning_of(SeenText("late: 21"), room_bytes=0)          -> SeenText("", is_cut=True)

_NON_ASCII_CHAR_BYTES: Final = 4
"""The most memory that a character takes in a text that is not ASCII."""


def bytes_of(seen: SeenText) -> int:
    """Return the most memory that the characters of a seen text take."""
    chars = len(seen.text) + len(seen.unproven_words)
    is_ascii = seen.text.isascii() and seen.unproven_words.isascii()
    return chars if is_ascii else chars * _NON_ASCII_CHAR_BYTES


def _beginning_of(seen: SeenText, room_bytes: int) -> SeenText:
    """Return the beginning of a text that does not fit whole in `room_bytes`."""
    # `unproven_words` are words of the script that the text may only repeat: `no hit for lent`.
    # They must not be cut: each word that is missing there would count as proven. So such a
    # text is not kept at all.
    if seen.unproven_words:
        return replace(seen, text="", is_cut=True, unproven_words="")
    bytes_per_char = 1 if seen.text.isascii() else _NON_ASCII_CHAR_BYTES
    kept_chars = room_bytes // bytes_per_char
    return replace(seen, text=seen.text[:kept_chars], is_cut=True)


TEXT_OVERHEAD_BYTES: Final = 500
"""An estimate of the memory that a seen text takes besides its characters."""


class SeenTexts:
    """The texts of one trial, in the order in which they were first seen."""

    def __init__(self, most_bytes: int = 0) -> None:
        """`most_bytes` is the most memory for texts; 0 stands for the usual amount."""
        self.texts: list[SeenText] = []
        """The kept texts. Others may keep this list: it only grows at its end."""
        self._kept: dict[tuple[SeenText, tuple[int, ...]], SeenText] = {}
        """Each kept text, by itself and its lines: equal texts may stand on different lines."""
        self._room_bytes = most_bytes or bounds.MOST_EVIDENCE_BYTES

    def add(self, seen: SeenText) -> SeenText:
        """Return the text that is kept: an equal one, or else this one, cut if it is too long."""
        kept = self._kept.get((seen, seen.lines))
        if kept is not None:
            return kept
        text_bytes = bytes_of(seen)
        if text_bytes <= self._room_bytes:
            used_bytes = text_bytes + TEXT_OVERHEAD_BYTES
            self._room_bytes = max(self._room_bytes - used_bytes, 0)
            return self._keep(seen)

        # Only a beginning fits. The beginning of an earlier text may be equal to it.
        beginning = _beginning_of(seen, self._room_bytes)
        kept = self._kept.get((beginning, beginning.lines))
        if kept is not None:
            return kept
        self._room_bytes = 0  # From now on, the beginnings are empty.
        return self._keep(beginning)

    def _keep(self, seen: SeenText) -> SeenText:
        """Keep a text that is not kept yet, and return it."""
        self._kept[seen, seen.lines] = seen
        self.texts.append(seen)
        return seen
