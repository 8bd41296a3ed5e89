"""The text of a date, a time or a duration in a cell: `2027-03-01`, `14:30:00`.

A date is written year-month-day, whatever its format says, so that nobody takes 03/01 for
January. Its format only decides whether the time is shown, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Final

from controlplane.benchmarks.files.documents.cells.format_tokens import (
    format_tokens,
)

DAY_ZERO: Final = datetime(1899, 12, 31)
"""The start of a spreadsheet's calendar. Day 1 is 1900-01-01.

A spreadsheet stores a duration as a number of days, too: 26 hours as 1.083. The library that
reads sheets returns the date after so many days: 2 o'clock on 1900-01-01.
"""
LAST_DAY_OF_DURATIONS: Final = datetime(1900, 12, 31)
"""A date up to this day is a duration if its format shows no date.

Real dates in sheets are later.
"""


def datetime_text(value: datetime, number_format: str) -> str:
    """Return a date, with its time if the format shows it or it is not midnight, or a duration.

    | value              | format             | text               |
    | ------------------ | ------------------ | ------------------ |
    | 2027-03-01, 00:00  | `dd.mm.yyyy`       | `2027-03-01`       |
    | 2027-03-01, 00:00  | `dd.mm.yyyy hh:mm` | `2027-03-01 00:00` |
    | 2027-03-01, 14:30  | `dd.mm.yyyy`       | `2027-03-01 14:30` |
    | 1900-01-01, 02:00  | `[h]:mm`           | `26:00`            |
    """
    value = _rounded_to_second(value)
    shown_parts = _parts_shown(number_format)
    if not shown_parts.date and value <= LAST_DAY_OF_DURATIONS:
        return duration_text(value - DAY_ZERO, number_format)
    day = value.date().isoformat()
    is_midnight = value.time() == time()
    if is_midnight and not shown_parts.hours:
        return day
    return f"{day} {time_text(value.hour, value.minute, value.second, number_format)}"


def _rounded_to_second(value: datetime) -> datetime:
    """Round to the nearest second. Times are stored as fractions of a day, rarely exact."""
    return (value + timedelta(milliseconds=500)).replace(microsecond=0)


def time_text(hours: int, minutes: int, seconds: int, number_format: str) -> str:
    """Return a time: `9`, `5`, `0` -> `09:05`, or `09:05:00` if the format shows seconds."""
    text = f"{hours:02}:{minutes:02}"
    if seconds or _parts_shown(number_format).seconds:
        text += f":{seconds:02}"
    return text


def duration_text(value: timedelta, number_format: str) -> str:
    """Return hours and minutes, and seconds if there are any: `26:05` for 26 hours, 5 minutes."""
    total_seconds = round(abs(value.total_seconds()))
    minutes, seconds = divmod(total_seconds, 60)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if value < timedelta() else ""
    return sign + time_text(hours, minutes, seconds, number_format)


@dataclass(frozen=True, slots=True)
class _ShownParts:
    """The parts of a date and time that a format shows."""

    date: bool
    hours: bool
    seconds: bool


ELAPSED_CODES: Final = {"[h]": "h", "[hh]": "h", "[s]": "s", "[ss]": "s"}
"""Codes for elapsed hours and seconds, which may exceed 24 and 60, as in `[h]:mm`."""


@lru_cache(maxsize=256)
def _parts_shown(number_format: str) -> _ShownParts:
    """Return the parts that a format shows: date and hours for `dd.mm.yyyy hh:mm`."""
    codes = set()
    for token in format_tokens(number_format):
        text = token.text.lower()
        if token.kind == "code":
            codes.add(text)
        elif token.kind == "bracket" and text in ELAPSED_CODES:
            codes.add(ELAPSED_CODES[text])
    return _ShownParts(
        date="y" in codes or "d" in codes,
        hours="h" in codes,
        seconds="s" in codes,
    )
