"""The texts that a trial has seen, each kept once, together within a bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gates.evidence import SeenText

MAX_KEPT_BYTES: Final = 4_000_000
"""Bytes of the texts that the evidence of one trial keeps. Beyond it a path stays citable, and a word that is missing
from what was kept of it proves nothing."""
_TEXT_BYTES: Final = 500
"""What keeping a text costs beyond its own bytes."""


class KeptTexts:
    """Texts by number, in the order in which they were first seen."""

    def __init__(self) -> None:
        self.texts: list[SeenText] = []
        self._numbers: dict[SeenText, int] = {}
        self._room = MAX_KEPT_BYTES

    def keep(self, seen: SeenText) -> int:
        """Return the number of a text, kept as far as there is room."""
        number = self._numbers.get(seen)
        if number is not None:
            return number
        size = _bytes_of(seen.text)
        if size > self._room:
            seen = replace(seen, text=seen.text[: self._room * len(seen.text) // size], is_whole=False)
        number = self._numbers.setdefault(seen, len(self.texts))
        if number == len(self.texts):
            self.texts.append(seen)
            self._room = max(self._room - size - _TEXT_BYTES, 0)
        return number

    def number_of(self, seen: SeenText) -> int:
        """Return the number of a text that was kept."""
        return self._numbers[seen]


def _bytes_of(text: str) -> int:
    """Return what a text takes in memory at most."""
    return len(text) * (1 if text.isascii() else 4)
