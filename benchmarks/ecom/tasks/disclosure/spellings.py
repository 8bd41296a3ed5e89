"""Finds a value in a message in any form in which people write it.

For example, `jan@shop-24.nl` is found in `Jan (at) Shop-24 dot nl`, and a time in the
records in `March 1st`.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from functools import lru_cache
from typing import Final

from controlplane.benchmarks.ecom.tasks.disclosure.spelled_days import contains_day
from controlplane.local_benchmark.expected_end import holds_token

MIN_LOOSE_CHARS: Final = 4
"""A value with fewer letters and digits is found only as a whole word in its own spelling."""
INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")
"""A time in the records, such as `2027-03-01T10:00:00Z`."""
PUNCTUATION_AS_WORD: Final = re.compile(
    r"[\(\[{<\s*_-]"  # an opening bracket or a separator
    r"(?:at|dot|punkt|ät|minus|dash|hyphen|underscore|point|punto|period|full stop)"
    r"(?=[\)\]}>\s*_-])"  # before a closing bracket or a separator
)
"""A punctuation mark that is written as a word, as in addresses: ` at `, `(dot)`."""
TYPOGRAPHIC_HYPHENS: Final = str.maketrans(
    {
        "\N{HYPHEN}": "-",
        "\N{NON-BREAKING HYPHEN}": "-",
        "\N{FIGURE DASH}": "-",
    }
)


def visible_text(message: str) -> str:
    """Return a message without invisible characters, and with plain forms of typographic ones.

    A non-breaking hyphen becomes `-`, and a ligature becomes its letters.
    """
    visible = []
    for char in unicodedata.normalize("NFKC", message):
        # Such as the zero-width space
        is_invisible = unicodedata.category(char) == "Cf"
        if not is_invisible:
            visible.append(char)
    return "".join(visible).translate(TYPOGRAPHIC_HYPHENS)


@lru_cache(maxsize=4)  # The same message is compared with many values in a row.
def letters_and_digits(text: str) -> str:
    """Return a text without accents, case, separators and spelled-out punctuation.

    `Jan (at) Shop-24 dot nl` -> `janshop24nl`
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    letters = PUNCTUATION_AS_WORD.sub(" ", letters)
    return "".join(letter for letter in letters if letter.isalnum())


def contains_value(message: str, value: str) -> bool:
    """Return True if a message contains a value in any spelling.

    - A time is found by its day: `2027-03-01T10:00:00Z` in `March 1st`.
    - A word or a short value is found only as a whole word: `paid`, but not in `unpaid`.
    - Any other value is found without regard to accents, case and separators: `basket-0012`
      in `Basket 0012`.
    """
    if INSTANT.fullmatch(value):
        return contains_day(message, date.fromisoformat(value[:10]))
    squeezed_value = letters_and_digits(value)
    if value.isalpha() or len(squeezed_value) < MIN_LOOSE_CHARS:
        return holds_token(message.casefold(), value.casefold())
    return squeezed_value in letters_and_digits(message)
