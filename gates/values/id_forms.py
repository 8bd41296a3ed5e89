"""How ids, versions and other tokens of letters and digits are written."""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.values.locale_names import (
    locale_names,
)
from controlplane.gates.values.numerals import (
    canonical_amount,
)
from controlplane.gates.values.unit_names import measure_behind, unit_of
from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue

ID_PATTERN: Final = (
    r"[\p{Latin}\p{Greek}\p{Cyrillic}\d]+(?:[-_./:#+&][\p{Latin}\p{Greek}\p{Cyrillic}\d]+)*"
)
_ORDINALS: Final = frozenset(
    {"st", "nd", "rd", "th", "er", "ère", "ème", "e", "o", "a", "x", "s", "fach"}
)
_MEASURE: Final = re2.compile(r"\d[\d.,']*(-?)(\pL+[23²³]?(?:/\pL+)?)")
_RANGE_OF_NUMBERS: Final = re2.compile(r"(\d{1,9}(?:[.,]\d+)?)-(\d{1,9}(?:[.,]\d+)?)")


def read_id(span: Span) -> list[WrittenValue]:
    """Return a token of letters and digits, or a number in several parts such as a version or a
    network address."""
    token = span.written
    base, colon, line = token.rpartition(":")
    if colon and line.isdigit() and "." in base:
        token = base  # `app.py:42` is a file with the number of a line
    if not any(character.isdigit() for character in token) or unit_of(token):  # `m2`
        return []
    if any(character.isalpha() for character in token):
        if _is_measure(token, span.behind(1)):
            return []
    elif not _has_parts_of_an_id(token):
        return []
    end = span.start + len(token)
    values = [WrittenValue(Kind.ID, token, span.start, end, canonical_id(token))]
    if "_" in token:
        values += _measures_in_key(span, token)
    return values


def _measures_in_key(span: Span, token: str) -> list[WrittenValue]:
    """Return the numbers of a key such as `below_20_kg` or `kegs_30l`."""
    text = token.replace("_", " ")
    values: list[WrittenValue] = []
    for match in _NUMBER_IN_KEY.finditer(text):
        number = str(match[1])
        start = span.start + match.start(1)
        measure = measure_behind(text[match.end(1) :])
        if measure.unit:
            amount = canonical_amount(number)
            end = start + len(number)
            values.append(WrittenValue(Kind.NUMBER, number, start, end, amount, measure.unit))
    return values


_NUMBER_IN_KEY: Final = re2.compile(r"\b(\d{1,9})")


def canonical_id(token: str) -> str:
    """Return an id in lower case, with one sign for hyphens and underscores."""
    return token.casefold().replace("_", "-")


def _has_parts_of_an_id(token: str) -> bool:
    """Say whether digits with marks are an id or version, and not a grouped number, a ratio or a
    range."""
    marks = [character for character in token if not character.isdigit()]
    if not marks or marks == ["."]:
        return False
    if marks == ["-"] or (len(marks) == 3 and "-" in marks):
        return not _is_range(token)
    if set(marks) == {"."}:
        groups = token.split(".")
        return not (len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]))
    return True


def _is_range(token: str) -> bool:
    """Say whether two numbers with a hyphen are a range: the first one is the smaller, and
    neither is padded."""
    match = _RANGE_OF_NUMBERS.fullmatch(token)
    if match is None:
        return False
    first = float(match[1].replace(",", "."))
    last = float(match[2].replace(",", "."))
    is_padded = any(
        len(number) > 1 and number.isdigit() and number[0] == "0" for number in match.groups()
    )
    return first < last and not is_padded


def _is_measure(token: str, behind: str) -> bool:
    """Say whether a token is a number with its unit, an ordinal or a multiple: `90min`,
    `10-day`, `13th`, `2x`."""
    match = _MEASURE.fullmatch(token)
    if match is None:
        return False
    hyphen = match[1]
    word = match[2]
    if unit_of(word) or word.casefold() in _ORDINALS or word.casefold() in locale_names().scales:
        return True
    if word in ("m", "km", "cm", "M", "MM") and behind in ("²", "³"):
        return True
    return bool(hyphen) and len(word) > 2 and word.isalpha()
