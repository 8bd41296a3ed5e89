"""Compares a value of an answer (the stated value) with a value in a text (the found value).

The found value supports the stated one if both are of the same kind and equal at the
precision of the answer: `6.5 kg` is supported by `6.545 kg` ("rounded from 6.545") and
by `6500 g`, not by `6.7 kg` or `6.5 h`. Nothing is guessed: a scale, zone, year or unit
counts only if the answer or the text names it.

The `canonical` of a value is the form that all its spellings share: `1250.5`, `17:10`,
`2026-03-12`, or `--03-12` without a year.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.support.matching.agreements import EQUAL, Agreement
from controlplane.gates.support.matching.date_equality import (
    compare_dates,
    compare_months,
)
from controlplane.gates.support.matching.number_equality import compare_numbers
from controlplane.gates.support.matching.time_equality import compare_times
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.value_kinds import Kind, WrittenValue

_YEARS: Final = range(1900, 2100)
_YEAR_DIGITS: Final = 4


def compare_values(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare a value of an answer with one that was found on a line of a source.

    Returns None if the found value does not support the stated one.
    """
    match stated.kind:
        case Kind.NUMBER:
            return _compare_number(stated, found, source, line)
        case Kind.DATE:
            return compare_dates(stated, found, source, line)
        case Kind.MONTH:
            return compare_months(stated, found)
        case Kind.TIME:
            return compare_times(stated, found, source)
        case Kind.ID:
            return _compare_ids(stated, found)
    if found.key == stated.key:
        return EQUAL
    return None


# Numbers and years


def _compare_number(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare a stated number with a value that was found on a line."""
    if found.kind is Kind.NUMBER:
        # Labels name the unit or scale of a number: the heading `weight_kg` of its column.
        labels = source.labels.of(line, found)
        return compare_numbers(stated, found, labels)
    may_have_year = found.kind in (Kind.DATE, Kind.MONTH, Kind.ID)
    if may_have_year and is_year(stated) and _has_year(found, stated.canonical):
        return EQUAL
    return None


def is_year(value: WrittenValue) -> bool:
    """Return True if a number may be a year: four digits without a unit, from 1900 to 2099."""
    if not value.text.isdecimal() or value.unit or len(value.canonical) != _YEAR_DIGITS:
        return False
    return int(value.canonical) in _YEARS


def _has_year(found: WrittenValue, year: str) -> bool:
    """Return True if a date, month or id contains a year: 2026 in `2026-03-12`, `INV-2026-7`."""
    if found.kind is Kind.ID:
        parts = found.canonical.replace("/", "-").replace(".", "-").split("-")
        return year in parts
    return found.canonical.startswith(year)


# Ids


def _compare_ids(stated: WrittenValue, found: WrittenValue) -> Agreement | None:
    """Accept an equal id, or one that has it as a part: FA-19 in `orders/FA-19#3`."""
    if found.kind is not Kind.ID:
        return None
    whole = found.canonical
    parts = whole.replace(":", "/").replace("#", "/").replace("=", "/").split("/")
    is_equal = stated.canonical in (whole, *parts)
    return EQUAL if is_equal else None
