"""The date that a request names by its distance from today, in the form that the request asks for."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

_DAYS: Final = (
    (re.compile(r"\bday after tomorrow\b", re.IGNORECASE), 2),
    (re.compile(r"\bday before yesterday\b", re.IGNORECASE), -2),
    (re.compile(r"\btomorrow\b", re.IGNORECASE), 1),
    (re.compile(r"\byesterday\b", re.IGNORECASE), -1),
    (re.compile(r"\btoday\b", re.IGNORECASE), 0),
)
_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_NUMBER: Final = rf"\d{{1,4}}|{'|'.join(_NUMBERS)}"
_COUNTED: Final = re.compile(
    rf"\b(?:in (?P<in>{_NUMBER}) (?P<in_unit>days?|weeks?)"
    rf"|(?P<from>{_NUMBER}) (?P<from_unit>days?|weeks?) from (?:now|today)"
    rf"|(?P<ago>{_NUMBER}) (?P<ago_unit>days?|weeks?) ago)\b",
    re.IGNORECASE,
)
_FORM: Final = re.compile(r"\b(?=[\w./ -]*YYYY)(?:YYYY|MM|DD)(?:[./ -](?:YYYY|MM|DD)){2}\b", re.IGNORECASE)
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d")


def relative_date(text: str, clock: str) -> str | None:
    """Return the asked date as the request writes dates (`DD-MM-YYYY`, `MM/DD/YYYY`, ...).

    `clock` is what the clock prints; its first ISO date is today. None if the request names no day, two of them
    beside today, or no single form.
    """
    found, forms = _ISO.search(clock), {each[0] for each in _FORM.finditer(text)}
    days = _day_asked(text)
    if found is None or len(forms) != 1 or days is None:
        return None
    asked = date.fromisoformat(found[0]) + timedelta(days=days)
    parts = {"YYYY": f"{asked.year:04d}", "MM": f"{asked.month:02d}", "DD": f"{asked.day:02d}"}
    return re.sub(r"YYYY|MM|DD", lambda part: parts[part[0].upper()], forms.pop(), flags=re.IGNORECASE)


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
    count = _NUMBERS.get(found[way].casefold()) or int(found[way])
    days = count * (7 if found[f"{way}_unit"].casefold().startswith("week") else 1)
    return -days if way == "ago" else days
