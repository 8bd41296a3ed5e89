"""Computes the date that a request asks for: "the date in 10 days, as DD-MM-YYYY" -> `11-03-2027`.

The request must name one day relative to today (`day_distances`), and one format. Otherwise
there is no result, because a wrong date is worse than none.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from controlplane.benchmarks.shop.requests.day_distances import distance_in_days

ISO_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
"""`2027-03-01`"""
_DATE_FORMAT: Final = re.compile(
    r"\b(?=[\w./ -]*YYYY)"  # with a year: not `MM-DD-DD`
    r"(?:YYYY|MM|DD)(?:[./ -](?:YYYY|MM|DD)){2}\b",
    re.IGNORECASE,
)
"""`YYYY-MM-DD`, `DD.MM.YYYY`, `MM/DD/YYYY`."""
_FORMAT_PART: Final = re.compile(r"YYYY|MM|DD", re.IGNORECASE)


def relative_date(text: str, clock: str) -> str | None:
    """Return the date that a request asks for, in the format that it names.

    `clock` is the output of the clock tool. Its first ISO date is today. The result is None
    if the request does not name one day and one format. "As of today" may be added.

    >>> relative_date("the date in a week as DD-MM-YYYY", "2027-03-01T10:00:00Z")
    '08-03-2027'
    """
    today = ISO_DAY.search(clock)
    distance = distance_in_days(text)
    formats = {match[0] for match in _DATE_FORMAT.finditer(text)}
    if today is None or distance is None or len(formats) != 1:
        return None
    day = date.fromisoformat(today[0]) + timedelta(days=distance)
    return _formatted_date(day, formats.pop())


def _formatted_date(day: date, date_format: str) -> str:
    """Return a date in a format: 1 March 2027, `DD-MM-YYYY` -> `01-03-2027`."""
    parts = {
        "YYYY": f"{day.year:04d}",
        "MM": f"{day.month:02d}",
        "DD": f"{day.day:02d}",
    }
    return _FORMAT_PART.sub(lambda part: parts[part[0].upper()], date_format)
