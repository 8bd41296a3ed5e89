"""Finds a day in a message in any usual spelling: `2027-03-01`, `1.3.2027`, `March 1st`."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from controlplane.benchmarks.ecom.tasks.disclosure.word_edges import any_of

MONTHS: Final = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
]


def contains_day(message: str, day: date) -> bool:
    """Return True if a message contains a day, but not within a longer number."""
    spellings = any_of(_in_digits(day), _with_month_name(day))
    return re.search(r"(?i)(?<!\d)" + spellings + r"(?!\d)", message) is not None


def _in_digits(day: date) -> str:
    """Return the pattern of a day in digits: `2027-03-01`, `20270301`, `1.3.2027`, `03/01/27`."""
    iso_date = r"\W{0,2}".join([f"{day:%Y}", f"{day:%m}", f"{day:%d}"])

    number = f"0?{day.day}"
    month = f"0?{day.month}"
    year = any_of(f"{day:%Y}", f"{day:%y}")
    between = "[./ -]+"
    day_and_month = any_of(number + between + month, month + between + number)
    return any_of(iso_date, day_and_month + between + year)


def _with_month_name(day: date) -> str:
    """Return the pattern of a day with a name of its month: `1st of March`, `1. März`, `Mar 1`.

    Only the first letters of the name count.
    """
    number = f"0?{day.day}(?:st|nd|rd|th)?"
    month = MONTHS[day.month - 1] + "[a-z]*"
    return any_of(number + r"\W+(?:of )?" + month, month + r"\W+" + number)
