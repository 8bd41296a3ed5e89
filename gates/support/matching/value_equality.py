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

from controlplane.gates.support.matching.agreements import (
    EQUAL,
    Agreement,
    share_reading,
)
from controlplane.gates.support.matching.number_equality import compare_numbers
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.locale_names import ZONE_OFFSETS
from controlplane.gates.values.value_kinds import (
    Kind,
    WrittenValue,
    day_of_date,
    year_of_date,
)

HEAD_LINES: Final = 12
"""First lines of a text, such as the head of a mail, whose year holds for dates without a year."""
_YEARS: Final = range(1900, 2100)
_YEAR_DIGITS: Final = 4
_MINUTES_A_DAY: Final = 24 * 60


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
            return _compare_dates(stated, found, source, line)
        case Kind.MONTH:
            return _compare_months(stated, found)
        case Kind.TIME:
            return _compare_times(stated, found, source)
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
        return compare_numbers(stated, found, source.labels.of(line, found))
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


# Dates and times


def _compare_dates(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare two dates, one of which may lack the year.

    - The answer says `3 May`, the text `3 May 2026`: they agree.
    - The answer says `3 May 2026`, the text `3 May`: they agree if the text names 2026
      near the date.
    """
    if found.kind is not Kind.DATE:
        return None
    # `03/04/2026` may be read as 3 April or as 4 March.
    if share_reading(stated, found):
        return EQUAL
    if day_of_date(stated) != day_of_date(found):
        return None
    stated_year = year_of_date(stated)
    if not stated_year:
        return EQUAL
    if not year_of_date(found) and _names_year(source, line, stated_year):
        # This note is shown to the user: the text has the year at another place.
        return Agreement(f"{found.text}, {stated_year}")
    return None


def _names_year(source: Source, line: int, year: str) -> bool:
    """Return True if a year stands on a line, in its heading, or in the first lines of its text."""
    if year in source.lines[line] or year in source.rows.heading_of(line):
        return True
    return any(year in head_line for head_line in source.lines[:HEAD_LINES])


def _compare_months(stated: WrittenValue, found: WrittenValue) -> Agreement | None:
    """Accept the same month, and a day of it: 2026-03 is supported by `12 March 2026`."""
    if found.kind not in (Kind.MONTH, Kind.DATE):
        return None
    is_in_month = found.canonical.startswith(stated.canonical)
    return EQUAL if is_in_month else None


def _compare_times(
    stated: WrittenValue, found: WrittenValue, source: Source
) -> Agreement | None:
    """Compare two times of day. The `unit` of a time is its zone, or empty.

    - Both have the same zone, or only the text has one: the times must be equal.
    - They have different zones: the times must be the same moment.
    - Only the answer has a zone: the times must be equal,
      and the text must name the zone somewhere.
    """
    if found.kind is not Kind.TIME:
        return None
    if stated.unit and found.unit and stated.unit != found.unit:
        is_same_moment = _minutes_in_utc(stated) == _minutes_in_utc(found)
        return Agreement(found.text) if is_same_moment else None
    if stated.unit and not found.unit and not _names_zone(source, stated.unit):
        return None
    if found.canonical.startswith(stated.canonical):  # 17:10 is supported by 17:10:05
        return EQUAL
    return None


def _names_zone(source: Source, offset: str) -> bool:
    """Return True if a text names a time zone with an offset such as `+01:00`, on any line."""
    words = source.text.replace("(", " ").replace(")", " ").replace(",", " ").split()
    return any(ZONE_OFFSETS.get(word) == offset for word in set(words))


def _minutes_in_utc(time: WrittenValue) -> int:
    """Return the minutes since midnight in UTC: 910, which is 15:10, for `17:10` at `+02:00`."""
    hours, minutes = time.canonical.split(":")[:2]
    zone_hours, zone_minutes = time.unit[1:].split(":")
    offset = 60 * int(zone_hours) + int(zone_minutes)
    if time.unit[0] == "-":
        offset = -offset
    return (60 * int(hours) + int(minutes) - offset) % _MINUTES_A_DAY
