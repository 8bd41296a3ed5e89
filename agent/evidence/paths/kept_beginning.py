"""The memory that a text takes that a trial has seen, and its beginning, if there is less room.

A script may read a file of gigabytes. If there is no room for all of a text, its beginning is
kept, with a mark that more was seen:

    beginning_of(SeenText("a very long one"), room_bytes=6)   -> SeenText("a very", is_cut=True)
    beginning_of(SeenText("late: 21"), room_bytes=0)          -> SeenText("", is_cut=True)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.gates.trial.seen_text import SeenText

NON_ASCII_CHAR_BYTES: Final = 4
"""The most memory that a character takes in a text that is not ASCII."""


def bytes_of(seen: SeenText) -> int:
    """Return the most memory that the characters of a seen text take."""
    chars = len(seen.text) + len(seen.unproven_words)
    is_ascii = seen.text.isascii() and seen.unproven_words.isascii()
    return chars if is_ascii else chars * NON_ASCII_CHAR_BYTES


def beginning_of(seen: SeenText, room_bytes: int) -> SeenText:
    """Return the beginning of a text that does not fit whole in `room_bytes`."""
    # `unproven_words` are words of the script that the text may only repeat: `no hit for lent`.
    # They must not be cut: each word that is missing there would count as proven. So such a
    # text is not kept at all.
    if seen.unproven_words:
        return replace(seen, text="", is_cut=True, unproven_words="")
    bytes_per_char = 1 if seen.text.isascii() else NON_ASCII_CHAR_BYTES
    kept_chars = room_bytes // bytes_per_char
    return replace(seen, text=seen.text[:kept_chars], is_cut=True)
