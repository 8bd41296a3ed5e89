"""Tells ids of digits (`2024-0017`, `2.14.3`) from numbers and ranges (`1.250.000`, `3-5`).

The marks between the digits show most of it:

    12.5           one point: a number
    3-5            one hyphen: a range, if the numbers rise
    1.5-2.5        a hyphen between two decimal marks: a range, if the numbers rise
    1.250.000      several points: a number, if all groups have three digits
    10/2024-17     anything else: an id
"""

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
    if marks in ("", "."):  # `12`, `12.5`
        return False
    may_be_range = marks == "-"  # `3-5`
    may_be_range_of_decimals = len(marks) == 3 and "-" in marks  # `1.5-2.5`
    if may_be_range or may_be_range_of_decimals:
        return not _is_range(token)
    has_only_points = set(marks) == {"."}
    if has_only_points:  # `1.250.000`, `2.14.3`
        return not _has_groups_of_three(token)
    return True


def _has_groups_of_three(token: str) -> bool:
    """Return True for `1.250.000`, which is a number; False for `2.14.3`, which is a version."""
    first_group, *further_groups = token.split(".")
    if len(first_group) > 3:
        return False
    return all(len(group) == 3 for group in further_groups)


_RANGE_OF_NUMBERS: Final = re2.compile(r"(\d{1,9}(?:[.,]\d+)?)-(\d{1,9}(?:[.,]\d+)?)")
"""Two numbers with a hyphen: `3-5`, `1.5-2.5`."""


def _is_range(token: str) -> bool:
    """Return True if two numbers with a hyphen are a range rather than an id.

    In a range the first number is smaller, and neither has leading zeros: true for
    `3-5`, false for `5-3` and `2024-0017`.
    """
    match = _RANGE_OF_NUMBERS.fullmatch(token)
    if match is None:
        return False
    for number in match.groups():
        has_leading_zero = len(number) > 1 and number.isdigit() and number[0] == "0"
        if has_leading_zero:
            return False
    first = float(match[1].replace(",", "."))
    last = float(match[2].replace(",", "."))
    return first < last
