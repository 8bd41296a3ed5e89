"""Reads telephone numbers: `+49 (0) 30 1234567`, `030/1234567`, `555-123-4567`.

A pattern finds digits with blanks and marks that may be telephone numbers. `read_telephone`
divides them if they are several numbers in a row, and drops what is something else.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.spans import Span, is_word_character
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, WrittenValue

_TELEPHONE_START: Final = r"(?:\+|\(?0)\d{0,5}\)?"
"""The code of the country or the area: `+49`, `(030)`, `0171`."""
_TELEPHONE_GROUP: Final = r"(?:[ \x{a0}/.-]{0,3}\(?\d+\)?)"
"""Further digits: ` 123`, `/1234567`, ` (0)`. `\\x{a0}` is a hard blank."""
_TELEPHONE_FORMS: Final = (
    _TELEPHONE_START
    + _TELEPHONE_GROUP
    + "{1,8}",  # `+49 (0) 30 1234567`, `030/1234567`
    r"\(\d{3}\) ?\d{3}[ -]\d{4}",  # the American `(555) 123-4567`
    r"\b\d{3}-\d{3}-\d{4}\b",  # the American `555-123-4567`
)
_TELEPHONE: Final = "|".join(_TELEPHONE_FORMS)
"""Several telephone numbers in a row are one match: `030 1234567 +49 171 2345678`."""
LEAST_TELEPHONE_DIGITS: Final = 7
"""A number with fewer digits is taken for something else, such as an amount."""
MOST_TELEPHONE_DIGITS: Final = 15
"""The longest number by the recommendation E.164."""


def read_telephone(span: Span) -> list[WrittenValue]:
    """Return the telephone numbers of a match, which may contain several in a row.

    `030 1234567 +49 171 2345678` -> both numbers. A match that touches a letter or digit, or
    that follows a mark, is a part of something else, such as an id. A mark behind it may just
    end the sentence.
    """
    before = span.before(1)
    follows_mark = before != "" and before in ".,-/#_"
    if follows_mark or is_word_character(before) or is_word_character(span.behind(1)):
        return []
    values: list[WrittenValue] = []
    remaining = span.written
    while remaining:
        written = _first_telephone(remaining)
        canonical = _canonical_telephone(written)
        if not canonical:  # what remains is something else, such as an amount
            break
        start = span.end - len(remaining)
        end = start + len(written)
        values.append(WrittenValue(Kind.TELEPHONE, written, start, end, canonical))
        remaining = remaining[len(written) :].lstrip(" ")
    return values


def _first_telephone(written: str) -> str:
    """Return the first of several telephone numbers in a row.

    `030 1234567 +49 171 2345678` -> `030 1234567`
    """
    # 1. A `+` or `(` begins the next number, but not in `+49 (30) 1234567`: there are fewer
    #    characters before this `(` than a telephone number has digits.
    first = written
    for sign_of_next in (" +", " ("):
        position = first.find(sign_of_next, LEAST_TELEPHONE_DIGITS)
        if position >= 0:
            first = first[:position]

    # 2. Without such a sign, too many digits show a second number: `030 1234567 0171 2345678`.
    #    The last groups are dropped until the digits can be one number.
    while len(_digits_of(first)) > MOST_TELEPHONE_DIGITS and " " in first:
        first = first.rpartition(" ")[0]
    return first.rstrip(" /.-")


def _canonical_telephone(written: str) -> str:
    """Return the digits of a telephone number, or "" if it cannot be one.

    `+49 (0) 30 1234567`, `0049 30 1234567` -> `+49301234567`; `030 1234567` -> `0301234567`
    """
    if not _looks_like_telephone(written):
        return ""
    # The zero of `+49 (0) 30` is dialled only within the country.
    without_trunk_zero = written.replace("(0)", "")
    digits = _digits_of(without_trunk_zero)
    if not LEAST_TELEPHONE_DIGITS <= len(digits) <= MOST_TELEPHONE_DIGITS:
        return ""
    # `0049`, not `0003`: the code of a country never begins with 0.
    has_international_prefix = digits.startswith("00") and digits[2] != "0"
    if without_trunk_zero.startswith("+") or has_international_prefix:
        return "+" + digits.removeprefix("00")
    return digits


def _looks_like_telephone(written: str) -> bool:
    """Return True if digits look like a telephone number rather than an amount.

    `+49 30 1234567`, `030 1234567` and `(030) 1234567` show it by their beginning, and
    `555-123-4567` by its hyphens. `0.1234567` is an amount.
    """
    if written.startswith("0."):
        return False
    return "-" in written or written[:1] in ("+", "0", "(")


def _digits_of(text: str) -> str:
    """Return the digits of a text: `(030) 12` -> `03012`."""
    return "".join(character for character in text if character.isdigit())


TELEPHONES: Final = Form(Kind.TELEPHONE, _TELEPHONE, read_telephone)
