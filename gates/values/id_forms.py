"""Finds ids and versions in a text: `KR-204`, `v2.1`, `10.0.0.7`, `kegs_30l`.

An id is a token with at least one digit: letters and digits without a blank. Amounts
with a unit (`90min`), ordinals (`13th`), ranges (`3-5`) and grouped numbers
(`1.250.000`) look like ids, and are excluded here.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.values.locale_names import locale_names
from controlplane.gates.values.numbers.numerals import canonical_amount
from controlplane.gates.values.unit_names import measure_behind, unit_of
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue


def read_id(span: Span) -> list[WrittenValue]:
    """Return the id at `span` and the amounts inside it, or an empty list if it is not an id.

    `KR-204` -> the id; `kegs_30l` -> the id
    and the amount of 30 liters; `90min` -> nothing.
    """
    token = span.written
    base, colon, line = token.rpartition(":")
    if colon and line.isdigit() and "." in base:
        token = base  # of `app.py:42`, only the name of the file

    # The token may be something else: a unit (`m2`), an amount (`90min`) or a number (`1.250,50`).
    if unit_of(token):
        return []
    has_letters = any(character.isalpha() for character in token)
    if has_letters:
        # The `²` of `30MM²` is behind the token, because an id has no raised digits.
        is_area_or_volume = _is_length(token) and span.behind(1) in ("²", "³")
        is_id = not _is_measure(token) and not is_area_or_volume
    else:
        is_id = _is_id_of_digits(token)
    if not is_id:
        return []

    end = span.start + len(token)
    values = [WrittenValue(Kind.ID, token, span.start, end, canonical_id(token))]
    if "_" in token:
        values += _measures_in_key(span, token)
    return values


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
                WrittenValue(Kind.NUMBER, number, start, end, amount, measure.unit)
            )
    return values


def canonical_id(token: str) -> str:
    """Return an id in lower case with hyphens for underscores: `KR_204` -> `kr-204`."""
    return token.casefold().replace("_", "-")


def _is_id_of_digits(token: str) -> bool:
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
    is_scale = folded_word in locale_names().scales  # `5mio`
    if unit_of(word) or folded_word in _ENDINGS_OF_NUMBERS or is_scale:
        return True

    # `10-day` and `4-person` are amounts; `204-XY` ends in a code of two letters, so it
    # is an id.
    is_longer_than_code = len(word) > 2
    return hyphen != "" and is_longer_than_code and word.isalpha()


def _is_length(token: str) -> bool:
    """Return True for `30m`, `30MM`."""
    match = _MEASURE.fullmatch(token)
    return match is not None and match[2] in ("m", "km", "cm", "M", "MM")


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

IDS: Final = Form(Kind.ID, _ID, read_id)
