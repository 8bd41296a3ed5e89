"""Words that a message must contain, in a form that holds in every world.

A task may demand the time "2027-03-04T10:20:30Z" of its own shop. In another shop it is another time,
so only the kind of the word can be demanded:

    demanded_word("2027-03-04T10:20:30Z")  # DemandedWord("time", "\\d{4}-\\d\\d-...")
    demanded_word("emp-desk")              # DemandedWord("emp-desk", ...): the word itself
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

WORD_KINDS: Final[Mapping[str, str]] = {
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d",  # 2027-03-04T10:20
    "number": r"\d+",
    "sku": r"[A-Z]{2,}-[A-Z0-9-]+",  # PT-SAW-MAK-12
    "basket": r"basket[-_]\d+",
}
"""Patterns of words that differ between worlds: only their kind can be demanded."""


@dataclass(frozen=True, order=True, slots=True)
class DemandedWord:
    """A word that a message must contain, or the kind of such a word."""

    name: str
    """The word itself, such as `emp-desk`, or a kind, such as `time`."""
    pattern: str

    def is_in(self, message: str) -> bool:
        """Return True if a message has the word, or any word of the kind."""
        return re.search(self.pattern, message) is not None


def demanded_word(word: str) -> DemandedWord:
    """Return what a message is searched for if our truth demands this word.

    That is any time for `2027-03-04T10:20:30Z`, and the word itself for `emp-desk`.
    """
    for kind, pattern in WORD_KINDS.items():
        if re.match(pattern, word):
            return DemandedWord(kind, pattern)
    return DemandedWord(word, rf"(?i)\b({re.escape(word)})\b")


def is_time(word: str) -> bool:
    """Return True for a time as in records: `2027-03-04T10:20:30Z`."""
    return re.match(WORD_KINDS["time"], word) is not None
