"""Text that a scanner misread: letters and digits that look alike, and how near two such texts are."""

from __future__ import annotations

import re
from typing import Final

_DIGITS: Final = str.maketrans("OoIliSsB", "00111558")
_ALIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2"})
_BLANKS: Final = re.compile(r"[\s_]+")
DIGIT: Final = r"[\dOoIliSsB]"
"""A digit, or a letter that one is misread as."""


def restored_number(text: str) -> str:
    """Return a number with digits in place of the letters that look like them."""
    return text.translate(_DIGITS).replace(",", ".")


def folded_text(text: str) -> str:
    """Return a text in which all that looks alike is one, without blanks and case."""
    return _BLANKS.sub("", text).casefold().translate(_ALIKE)


def likeness(left: str, right: str) -> float:
    """Return how alike two folded texts are, from 0 to 1."""
    from difflib import SequenceMatcher  # The trusted process imports this module and never compares.

    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def shared_beginning(left: str, right: str) -> int:
    """Return with how many characters two folded texts begin alike."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))
