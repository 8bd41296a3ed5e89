"""Characters that a scanner confuses: `O` and `0`, `l` and `1`, `S` and `5`.

In a number, letters are read as the digits that they resemble: `7l.3O` is 71.30. Two names are
compared without the differences that misreading causes: `0sier` and `Osier` are equal.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.texts.table_texts import cents_of

DIGIT: Final = r"[\dOoIliZSsB]"
"""A digit, or a letter as which a digit may have been read."""
AMOUNT: Final = (
    rf"(?:{DIGIT}{{1,3}}(?:[.,']{DIGIT}{{3}})+|{DIGIT}+)[.,]{DIGIT}{{2}}(?!\w)"
)
"""An amount with two decimals: `1,142.78`."""
_DIGIT_OF_LETTER: Final = str.maketrans("OoIliZSsB", "001112558")
"""For numbers: the digit for each such letter."""


def corrected_number(text: str) -> str:
    """Return a number with digits in place of misread letters: `7l.3O` -> `71.30`."""
    return text.translate(_DIGIT_OF_LETTER)


def corrected_cents(amount: str) -> int:
    """Return a scanned amount in cents: `7l.3O` -> 7130."""
    return cents_of(corrected_number(amount))


_SIMILAR_CHARACTERS: Final = str.maketrans(
    {"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2"}
)
"""For names, which have letters and digits: one character for those that look alike."""
_BLANKS: Final = re.compile(r"[\s_]+")


def folded_text(text: str) -> str:
    """Return a text without case and blanks, with one character for all that look alike.

    Misread texts can be compared in this form: `Lea TARP S` -> `1eatarp5`.
    """
    return _BLANKS.sub("", text).casefold().translate(_SIMILAR_CHARACTERS)


# Likeness is the similarity of a scanned text and the right one, from 0 to 1. With one
# or two misread characters, a name stays well above the least likeness.
LEAST_LIKENESS: Final = 0.78
"""The least likeness of a scanned name and the name of its product or branch."""
LEAST_LEAD: Final = 0.015
"""The right name must be more like the scanned one than any other name, by at least this much."""


def likeness(left: str, right: str) -> float:
    """Return how similar two folded texts are, from 0 to 1."""
    # Imported here, because the trusted process imports this module but never compares texts.
    from difflib import SequenceMatcher

    return SequenceMatcher(None, left, right, autojunk=False).ratio()
