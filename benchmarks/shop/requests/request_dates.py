"""Computes the date that a request asks for: "the date in 10 days, as DD-MM-YYYY" -> `11-03-2027`.

The request must name one day relative to today (`day_distances`), and one format. Otherwise
there is no result, because a wrong date is worse than none.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

# Finds how many days from today a request means: "in 10 days" -> 10, "a week ago" -> -7.
#
# The request must name one day, by a count or by a name such as "tomorrow". "Two months from
# today" and "a week tomorrow" have no result, because a wrong date is worse than none.

NUMBER_WORDS: Final = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
}

_NAMED_DAYS: Final = {
    "day after tomorrow": 2,
    "day before yesterday": -2,
    "tomorrow": 1,
    "yesterday": -1,
    "today": 0,
}
"""Days from today. Longer names come first, so that the pattern matches them first."""
_NAMED_DAY: Final = re.compile(rf"\b(?:{'|'.join(_NAMED_DAYS)})\b", re.IGNORECASE)

_COUNT: Final = (
    r"(?<![\w-])"  # not inside a longer number or word: not the 10 of `5-10 days`
    rf"(?:\d{{1,4}}|an?|{'|'.join(NUMBER_WORDS)})"
)
"""`10`, `a`, `two`"""
_UNIT: Final = r"days?|weeks?|fortnights?"
_DAYS_PER_UNIT: Final = {"d": 1, "w": 7, "f": 14}
"""The number of days in a unit, by its first letter."""
_COUNTED_DAY: Final = re.compile(
    rf"\b(?:in (?P<in>{_COUNT}) (?P<in_unit>{_UNIT})"
    rf"|(?P<from>{_COUNT}) (?P<from_unit>{_UNIT}) (?:from (?:now|today)|hence|later)"
    rf"|(?P<ago>{_COUNT}) (?P<ago_unit>{_UNIT}) (?:ago|back|earlier|prior))\b",
    re.IGNORECASE,
)
"""`in 10 days`, `a week from now`, `2 weeks ago`."""


_UNCLEAR_DAY: Final = re.compile(
    # `two months from today`, `3 days after tomorrow`, `a week tomorrow`
    r"\b(?:days|weeks?|months?|years?|fortnights?)\W+"
    r"(?:from|ago|hence|later|back|earlier|after|before|today|tomorrow|yesterday)\b"
    # `not tomorrow`, `today week`
    r"|\b(?:not|today|tomorrow|yesterday) (?:today|tomorrow|yesterday|week|fortnight)\b",
    re.IGNORECASE,
)
"""A day that cannot be computed."""


def distance_in_days(text: str) -> int | None:
    """Return the number of days from today to the day that a text names: `tomorrow` -> 1.

    The result is None if it names none, several, or one that cannot be computed.
    """
    # 1. Counted days: "in 10 days". They are removed from the text, because parts of them look
    #    like unclear days.
    distances = {_counted_days(match) for match in _COUNTED_DAY.finditer(text)}
    remaining_text = _COUNTED_DAY.sub(" ", text)
    if _UNCLEAR_DAY.search(remaining_text):
        return None

    # 2. Named days: "tomorrow".
    for day_name in _NAMED_DAY.findall(remaining_text):
        distances.add(_NAMED_DAYS[day_name.casefold()])

    # 3. "In 10 days, as of today" names two days, 10 and 0. Today is not the one asked for.
    if len(distances) > 1:
        distances.discard(0)
    if len(distances) != 1:
        return None
    return distances.pop()


def _counted_days(match: re.Match[str]) -> int:
    """Return a number of days: `in 10 days` (10), `a week from now` (7), `2 weeks ago` (-14)."""
    if match["in"]:
        return _days_of(match["in"], match["in_unit"])
    if match["from"]:
        return _days_of(match["from"], match["from_unit"])
    return -_days_of(match["ago"], match["ago_unit"])


def _days_of(count_word: str, unit: str) -> int:
    """Return a number of days: `two`, `weeks` -> 14; `a`, `fortnight` -> 14."""
    word = count_word.casefold()
    if word.isdigit():
        count = int(word)
    elif word in ("a", "an"):
        count = 1
    else:
        count = NUMBER_WORDS[word]
    return count * _DAYS_PER_UNIT[unit[0].casefold()]


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
