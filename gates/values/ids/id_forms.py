"""Finds ids and versions in a text: `KR-204`, `v2.1`, `10.0.0.7`, `kegs_30l`.

An id is a token with at least one digit: letters and digits without a blank. Amounts
with a unit (`90min`), ordinals (`13th`), ranges (`3-5`) and grouped numbers
(`1.250.000`) look like ids, and are excluded here.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.values.ids.amount_tokens import is_length, is_measure
from controlplane.gates.values.ids.digit_ids import is_id_of_digits
from controlplane.gates.values.measures import measure_behind
from controlplane.gates.values.numbers.amounts import canonical_amount
from controlplane.gates.values.spans import Span
from controlplane.gates.values.unit_names import unit_of
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, WrittenValue


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
    values = [WrittenValue(Kind.ID, token, span.start, end, canonical_id(token))]
    if "_" in token:
        values += _measures_in_key(span, token)
    return values


def _is_id(token: str, behind_match: str) -> bool:
    """Return False for a token that is something else: a unit, an amount or a number."""
    if unit_of(token):  # `m2`
        return False
    has_letters = any(character.isalpha() for character in token)
    if not has_letters:
        return is_id_of_digits(token)  # `10.0.0.7`, but not the number `1.250,50`
    if is_measure(token):  # `90min`
        return False
    # `30MM²` is an area. The `²` is behind the match, because the pattern has no raised digits.
    is_area_or_volume = is_length(token) and behind_match in ("²", "³")
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
                WrittenValue(Kind.NUMBER, number, start, end, amount, measure.unit)
            )
    return values


def canonical_id(token: str) -> str:
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

IDS: Final = Form(Kind.ID, _ID, read_id)
