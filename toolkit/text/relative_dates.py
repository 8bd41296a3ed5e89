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
_COUNTED: Final = re.compile(
    r"\b(?:in (?P<in>an?|one|two|three|\d{1,4}) (?P<in_unit>days?|weeks?)"
    r"|(?P<from>an?|one|two|three|\d{1,4}) (?P<from_unit>days?|weeks?) from (?:now|today)"
    r"|(?P<ago>an?|one|two|three|\d{1,4}) (?P<ago_unit>days?|weeks?) ago)\b",
    re.IGNORECASE,
)
_COUNTS: Final = {"two": 2, "three": 3}
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
    days = {_distance(each) for each in _COUNTED.finditer(text)}
    text = _COUNTED.sub(" ", text)
    for pattern, distance in _DAYS:
        text, count = pattern.subn(" ", text)
        if count:
            days.add(distance)
    if len(days) > 1:
        days.discard(0)  # today is what another day is counted from
    return days.pop() if len(days) == 1 else None


def _distance(found: re.Match[str]) -> int:
    """Return the days of `in 10 days`, `a week from now` or `2 weeks ago`."""
    way = next(each for each in ("in", "from", "ago") if found[each])
    count = int(found[way]) if found[way].isdigit() else _COUNTS.get(found[way].casefold(), 1)
    days = count * (7 if found[f"{way}_unit"].casefold().startswith("week") else 1)
    return -days if way == "ago" else days
