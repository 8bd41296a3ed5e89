"""The date that a request names by its distance from today, in the form that the request asks for."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

_DAYS: Final = (
    (re.compile(r"\b(?:day after tomorrow|in two days|two days from (?:now|today))\b", re.IGNORECASE), 2),
    (re.compile(r"\b(?:day before yesterday|two days ago)\b", re.IGNORECASE), -2),
    (re.compile(r"\btomorrow\b", re.IGNORECASE), 1),
    (re.compile(r"\byesterday\b", re.IGNORECASE), -1),
    (re.compile(r"\btoday\b", re.IGNORECASE), 0),
)
_FORM: Final = re.compile(r"\b(?=[\w./ -]*YYYY)(?:YYYY|MM|DD)(?:[./ -](?:YYYY|MM|DD)){2}\b", re.IGNORECASE)
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d")


def relative_date(text: str, clock: str) -> str | None:
    """Return the asked date as the request writes dates (`DD-MM-YYYY`, `MM/DD/YYYY`, ...).

    `clock` is what the clock prints; its first ISO date is today. None if the request names no day, two of them
    beside today, or no form.
    """
    found, form = _ISO.search(clock), _FORM.search(text)
    days = _day_asked(text)
    if found is None or form is None or days is None:
        return None
    asked = date.fromisoformat(found[0]) + timedelta(days=days)
    parts = {"YYYY": f"{asked.year:04d}", "MM": f"{asked.month:02d}", "DD": f"{asked.day:02d}"}
    return re.sub(r"YYYY|MM|DD", lambda part: parts[part[0].upper()], form[0], flags=re.IGNORECASE)


def _day_asked(text: str) -> int | None:
    days = set()
    for pattern, distance in _DAYS:
        text, count = pattern.subn(" ", text)
        if count:
            days.add(distance)
    if len(days) > 1:
        days.discard(0)  # today is what another day is counted from
    return days.pop() if len(days) == 1 else None
