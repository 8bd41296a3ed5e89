"""Patterns for the edges of words, where no letter or digit is on the other side.

`_` separates words, unlike for `\\b`: `paid_out` is two words.
"""

from __future__ import annotations

import re
from typing import Final

WORD: Final = re.compile(r"[^\W_]+")
"""A word: letters and digits."""
NO_LETTER_BEFORE: Final = r"(?<![^\W_])"
"""Matches where no letter or digit precedes: at the beginning of a word."""
NO_LETTER_AFTER: Final = r"(?![^\W_])"
"""Matches where no letter or digit follows: at the end of a word."""


def any_of(*patterns: str) -> str:
    """Return the pattern for any of these patterns."""
    return f"(?:{'|'.join(patterns)})"
