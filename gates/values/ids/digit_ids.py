"""Tells ids of digits (`2024-0017`, `2.14.3`) from numbers and ranges (`1.250.000`, `3-5`)."""

from __future__ import annotations

from typing import Final

import re2


def is_id_of_digits(token: str) -> bool:
    """Return True if digits with punctuation are an id, a version or an address.

    True for `2.14.3`, `10.0.0.7` and `2024-0017`;
    false for `12.5`, `1.250.000` and `3-5`.
    """
    # The token without its digits: `.` for `12.5`, `.-.` for `1.5-2.5`, `..` for `2.14.3`.
    marks = "".join(character for character in token if not character.isdigit())
    if marks in ("", "."):  # a number: `12`, `12.5`
        return False
    may_be_range = marks == "-"  # `3-5` is a range, `2024-0017` an id
    # `.-.` or `,-,`: two numbers with a decimal mark each, as in `1.5-2.5`
    may_be_range_of_decimals = len(marks) == 3 and "-" in marks
    if may_be_range or may_be_range_of_decimals:
        return not _is_range(token)

    # Several points and no other mark: `1.250.000` is a number, `2.14.3` a version.
    if set(marks) == {"."}:
        first_group, *further_groups = token.split(".")
        has_groups_of_three = all(len(group) == 3 for group in further_groups)
        is_grouped_number = len(first_group) <= 3 and has_groups_of_three
        return not is_grouped_number
    return True


_RANGE_OF_NUMBERS: Final = re2.compile(r"(\d{1,9}(?:[.,]\d+)?)-(\d{1,9}(?:[.,]\d+)?)")
"""Two numbers with a hyphen: `3-5`, `1.5-2.5`."""


def _is_range(token: str) -> bool:
    """Return True if two numbers with a hyphen are a range rather than an id.

    In a range the first number is smaller, and neither has leading zeros: true for
    `3-5`, false for `2024-0017` and `5-3`.
    """
    match = _RANGE_OF_NUMBERS.fullmatch(token)
    if match is None:
        return False
    first = float(match[1].replace(",", "."))
    last = float(match[2].replace(",", "."))
    for number in match.groups():
        has_leading_zero = len(number) > 1 and number.isdigit() and number[0] == "0"
        if has_leading_zero:
            return False
    return first < last
