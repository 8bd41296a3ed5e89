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

from controlplane.local_benchmark.expected_end import holds_token

# Patterns for the edges of words, where no letter or digit is on the other side.
#
# `_` separates words, unlike for `\b`: `paid_out` is two words.

WORD: Final = re.compile(r"[^\W_]+")
"""A word: letters and digits."""
NO_LETTER_BEFORE: Final = r"(?<![^\W_])"
"""Matches where no letter or digit precedes: at the beginning of a word."""
NO_LETTER_AFTER: Final = r"(?![^\W_])"
"""Matches where no letter or digit follows: at the end of a word."""


def any_of(*patterns: str) -> str:
    """Return the pattern for any of these patterns."""
    return f"(?:{'|'.join(patterns)})"


# Finds a day in a message in any usual spelling: `2027-03-01`, `1.3.2027`, `March 1st`.

_MONTHS: Final = [
    "jan",
    "feb",
    r"mar|märz|mär\b|mrz|maart|mrt",  # `März` and `maart`, but not `Märkte` and `maanden`
    "apr",
    r"may|mai\b|mei\b",  # `mai`, but not `main`
    "jun",
    "jul",
    "aug",
    "sep",
    "oct|okt",
    "nov",
    r"dec|dezember|dez\b",  # `dez`, but not `deze`
]
"""The pattern of how each month's name begins, in English, German and Dutch: January first."""


def contains_day(message: str, day: date) -> bool:
    """Return True if a message contains a day, but not within a longer number.

    1 March 2027 is in `until March 1st`, but not in `order 12027-03-01`.
    """
    spellings = any_of(_in_digits(day), _with_month_name(day))
    return re.search(r"(?i)(?<!\d)" + spellings + r"(?!\d)", message) is not None


def _in_digits(day: date) -> str:
    """Return the pattern of a day in digits: `2027-03-01`, `20270301`, `1.3.2027`, `03/01/27`."""
    iso_date = r"\W{0,2}".join([f"{day:%Y}", f"{day:%m}", f"{day:%d}"])

    day_number = f"0?{day.day}"
    month_number = f"0?{day.month}"
    year = any_of(f"{day:%Y}", f"{day:%y}")
    between = "[./ -]+"
    european = day_number + between + month_number
    american = month_number + between + day_number
    return any_of(iso_date, any_of(european, american) + between + year)


def _with_month_name(day: date) -> str:
    """Return the pattern of a day with the name of its month: `1st of March`, `1. März`, `Mar 1`.

    A name is known by its first letters, whatever letters follow: `Mar`, `March`, `Marec`.
    """
    day_number = f"0?{day.day}(?:st|nd|rd|th)?"
    month_name = any_of(_MONTHS[day.month - 1]) + "[a-z]*"
    return any_of(
        day_number + r"\W+(?:of )?" + month_name,
        month_name + r"\W+" + day_number,
    )


MIN_LOOSE_CHARS: Final = 4
"""A value with fewer letters and digits is found only as a whole word in its own spelling."""
INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")
"""A time in the records, such as `2027-03-01T10:00:00Z`."""
_PUNCTUATION_AS_WORD: Final = re.compile(
    r"[\(\[{<\s*_-]"  # an opening bracket or a separator
    r"(?:at|dot|punkt|ät|minus|dash|hyphen|underscore|point|punto|period|full stop)"
    r"(?=[\)\]}>\s*_-])"  # before a closing bracket or a separator
)
"""A punctuation mark that is written as a word, as in addresses: ` at `, `(dot)`."""
_TYPOGRAPHIC_HYPHENS: Final = str.maketrans(
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
    return "".join(visible).translate(_TYPOGRAPHIC_HYPHENS)


@lru_cache(maxsize=4)  # The same message is compared with many values in a row.
def letters_and_digits(text: str) -> str:
    """Return a text without accents, case, separators and spelled-out punctuation.

    `Jan (at) Shop-24 dot nl` -> `janshop24nl`
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    letters = _PUNCTUATION_AS_WORD.sub(" ", letters)
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
