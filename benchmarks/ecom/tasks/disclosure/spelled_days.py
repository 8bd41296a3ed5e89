"""Finds a day in a message in any usual spelling: `2027-03-01`, `1.3.2027`, `March 1st`."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from controlplane.benchmarks.ecom.tasks.disclosure.word_edges import any_of

MONTHS: Final = [
    "jan",
    "feb",
    r"mar|märz|mär\b|mrz|maart|mrt",  # `März` and `maart`, but not `Märkte` and `maanden`
    "apr",
    r"may|mai\b|mei\b",  # `mai`, but not `main`
    "jun",
    "jul",
    "aug",
    "sep",
    "oct|okt",
    "nov",
    r"dec|dezember|dez\b",  # `dez`, but not `deze`
]
"""The pattern of how each month's name begins, in English, German and Dutch: January first."""


def contains_day(message: str, day: date) -> bool:
    """Return True if a message contains a day, but not within a longer number.

    1 March 2027 is in `until March 1st`, but not in `order 12027-03-01`.
    """
    spellings = any_of(_in_digits(day), _with_month_name(day))
    return re.search(r"(?i)(?<!\d)" + spellings + r"(?!\d)", message) is not None


def _in_digits(day: date) -> str:
    """Return the pattern of a day in digits: `2027-03-01`, `20270301`, `1.3.2027`, `03/01/27`."""
    iso_date = r"\W{0,2}".join([f"{day:%Y}", f"{day:%m}", f"{day:%d}"])

    day_number = f"0?{day.day}"
    month_number = f"0?{day.month}"
    year = any_of(f"{day:%Y}", f"{day:%y}")
    between = "[./ -]+"
    european = day_number + between + month_number
    american = month_number + between + day_number
    return any_of(iso_date, any_of(european, american) + between + year)


def _with_month_name(day: date) -> str:
    """Return the pattern of a day with the name of its month: `1st of March`, `1. März`, `Mar 1`.

    A name is known by its first letters, whatever letters follow: `Mar`, `March`, `Marec`.
    """
    day_number = f"0?{day.day}(?:st|nd|rd|th)?"
    month_name = any_of(MONTHS[day.month - 1]) + "[a-z]*"
    return any_of(
        day_number + r"\W+(?:of )?" + month_name,
        month_name + r"\W+" + day_number,
    )
