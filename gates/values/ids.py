"""Ids and versions, and what looks like them."""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.values.digits import canonical_amount
from controlplane.gates.values.locale_names import locale_names
from controlplane.gates.values.measures import measure_behind, unit_of
from controlplane.gates.values.spans import Form, Span, ValueKind, WrittenValue

# Tells amounts and ordinals from ids: `90min` and `13th` from `KR204` and `204-XY`.
#
# All of these are tokens: letters and digits without a blank.

_ENDINGS_OF_NUMBERS: Final = frozenset(
    {"st", "nd", "rd", "th", "er", "ère", "ème", "e", "o", "a", "x", "s", "fach"}
)
"""Endings of ordinals, decades and multiples: `13th`, `2ème`, `1990s`, `2x`, `3fach`."""
_MEASURE: Final = re2.compile(r"\d[\d.,']*(-?)(\pL+[23²³]?(?:/\pL+)?)")
"""A number, an optional hyphen and a word: `90min`, `10-day`, `30m²`, `80km/h`."""


def _is_measure(token: str) -> bool:
    """Return True for an amount, an ordinal or a multiple: `90min`, `10-day`, `13th`, `2x`."""
    match = _MEASURE.fullmatch(token)
    if match is None:
        return False
    hyphen = match[1]
    word = match[2]
    folded_word = word.casefold()
    if unit_of(word):  # `90min`
        return True
    if folded_word in _ENDINGS_OF_NUMBERS:  # `13th`
        return True
    if folded_word in locale_names().scales:  # `5mio`
        return True

    # `10-day` and `4-person` are amounts. `204-XY` is an id: two letters are a code.
    is_longer_than_code = len(word) > 2
    return hyphen != "" and is_longer_than_code and word.isalpha()


def _is_length(token: str) -> bool:
    """Return True for a length in meters: `30m`, `2km`, and `30M` or `30MM` in capital letters.

    `30M` alone may be an id, and `_is_measure` is false. But in `30M²`, it is a length.
    """
    match = _MEASURE.fullmatch(token)
    return match is not None and match[2] in ("m", "km", "cm", "M", "MM")


# Tells ids of digits (`2024-0017`, `2.14.3`) from numbers and ranges (`1.250.000`, `3-5`).
#
# The marks between the digits show most of it:
#
#     12.5           one point: a number
#     3-5            one hyphen: a range, if the numbers rise
#     1.5-2.5        a hyphen between two decimal marks: a range, if the numbers rise
#     1.250.000      several points: a number, if all groups have three digits
#     10/2024-17     anything else: an id


def _is_id_of_digits(token: str) -> bool:
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


# Finds ids and versions in a text: `KR-204`, `v2.1`, `10.0.0.7`, `kegs_30l`.
#
# An id is a token with at least one digit: letters and digits without a blank. Amounts
# with a unit (`90min`), ordinals (`13th`), ranges (`3-5`) and grouped numbers
# (`1.250.000`) look like ids, and are excluded here.


def read_id(span: Span) -> list[WrittenValue]:
    """Return the id that a match is, and the amounts inside the id.

    - `KR-204` -> the id
    - `kegs_30l` -> the id, and the amount of 30 liters
    - `90min` -> nothing, because it is an amount
    """
    token = span.written
    file_name, colon, line_number = token.rpartition(":")
    if colon and line_number.isdigit() and "." in file_name:
        token = file_name  # of `app.py:42`
    if not _is_id(token, behind_match=span.behind(1)):
        return []

    end = span.start + len(token)
    values = [WrittenValue(ValueKind.ID, token, span.start, end, _canonical_id(token))]
    if "_" in token:
        values += _measures_in_key(span, token)
    return values


def _is_id(token: str, behind_match: str) -> bool:
    """Return False for a token that is something else: a unit, an amount or a number."""
    if unit_of(token):  # `m2`
        return False
    has_letters = any(character.isalpha() for character in token)
    if not has_letters:
        return _is_id_of_digits(token)  # `10.0.0.7`, but not the number `1.250,50`
    if _is_measure(token):  # `90min`
        return False
    # `30MM²` is an area. The `²` is behind the match, because the pattern has no raised digits.
    is_area_or_volume = _is_length(token) and behind_match in ("²", "³")
    return not is_area_or_volume


_NUMBER_IN_KEY: Final = re2.compile(r"\b(\d{1,9})")
"""A number in a key whose underscores were replaced by blanks: `20` in `below 20 kg`."""


def _measures_in_key(span: Span, token: str) -> list[WrittenValue]:
    """Return the amounts with a unit inside a key: `below_20_kg` -> 20 kg; `row_7` -> nothing."""
    text = token.replace("_", " ")  # as long as the token, so offsets stay the same
    values: list[WrittenValue] = []
    for match in _NUMBER_IN_KEY.finditer(text):
        number = str(match[1])
        start = span.start + match.start(1)
        measure = measure_behind(text[match.end(1) :])
        if measure.unit:
            amount = canonical_amount(number)
            end = start + len(number)
            values.append(
                WrittenValue(ValueKind.NUMBER, number, start, end, amount, measure.unit)
            )
    return values


def _canonical_id(token: str) -> str:
    """Return an id in lower case with hyphens for underscores: `KR_204` -> `kr-204`."""
    return token.casefold().replace("_", "-")


# The pattern of ids, from its parts

_LETTER: Final = r"[\p{Latin}\p{Greek}\p{Cyrillic}]"
_MARK: Final = r"[-_./:#+&]"
_LETTER_OR_DIGIT: Final = r"[\p{Latin}\p{Greek}\p{Cyrillic}\d]"
_PARTS_OF_LETTERS: Final = rf"(?:{_LETTER}+{_MARK})*"
"""`order-KR-`, or nothing"""
_PART_WITH_DIGIT: Final = rf"{_LETTER}*\d{_LETTER_OR_DIGIT}*"
"""`204`, `v2`. An id must have such a part, or the pattern would stop at every word of a text."""
_FURTHER_PARTS: Final = rf"(?:{_MARK}{_LETTER_OR_DIGIT}+)*"
"""`-B`, `.14.3`, or nothing"""
_ID: Final = _PARTS_OF_LETTERS + _PART_WITH_DIGIT + _FURTHER_PARTS
"""`order-KR-204-B`, `v2.14.3`"""

IDS: Final = Form(ValueKind.ID, _ID, read_id)
