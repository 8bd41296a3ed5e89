"""Recalculates dates and times that are a duration apart.

    from 3 May to 12 May, 9 days                       the duration is right
    ordered on 3 May, delivered 9 days later, 12 May   so are the dates

Only right results are returned, because a wrong duration may belong to something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction
from itertools import permutations
from typing import Final

from controlplane.gates.support.arithmetic.shown_results import ShownResult
from controlplane.gates.values.numbers.amounts import MOST_DIGITS
from controlplane.gates.values.units import UNIT_BY_NAME
from controlplane.gates.values.value_kinds import (
    Kind,
    WrittenValue,
    day_of_date,
    year_of_date,
)

MAX_CHARS_BEFORE_DURATION: Final = 60
"""Characters between the first of two dates and the duration that is calculated from them."""
SECONDS_A_DAY: Final = 86_400
SECONDS_AN_HOUR: Final = 3_600


def durations(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield right durations behind two dates or times: `from 3 May to 12 May, 9 days`.

    `values` are all values of the answer in order, also those that are no dates or times.
    """
    # Each three values in a row: 3 May, 12 May and 9 days
    for first, second, duration in zip(values, values[1:], values[2:], strict=False):
        seconds = _seconds_of(duration)
        is_near = duration.start - first.end < MAX_CHARS_BEFORE_DURATION
        if seconds is None or not is_near:
            continue
        if _seconds_between(first, second) == seconds:
            text = answer[first.start : duration.end]
            yield ShownResult(duration, (first, second), is_right=True, text=text)


def shifted_moments(
    answer: str, values: Sequence[WrittenValue]
) -> Iterator[ShownResult]:
    """Yield dates and times that are a duration before or after another one on the line.

    `ordered on 3 May, delivered 9 days later, on 12 May`: either date may be the one that
    was calculated, so two results are yielded. One is 12 May, with 3 May and 9 days as its
    operands, and one is 3 May. The caller knows which of the dates was read in a text.
    """
    for index, duration in enumerate(values):
        seconds = _seconds_of(duration)
        if seconds is None:
            continue
        # Both dates or times are among the two values before the duration and the two behind.
        before = values[max(index - 2, 0) : index]
        behind = values[index + 1 : index + 3]
        for first, second in permutations([*before, *behind], 2):  # in either order
            if _seconds_between(first, second) != seconds:
                continue
            start = min(first.start, duration.start, second.start)
            end = max(first.end, duration.end, second.end)
            text = answer[start:end]
            if "\n" not in text:
                yield ShownResult(second, (first, duration), is_right=True, text=text)


def _seconds_of(value: WrittenValue) -> Fraction | None:
    """Return the seconds of `9 days` or `1.5 h`; None if a value is not a duration."""
    unit = UNIT_BY_NAME.get(value.unit)
    if unit is None or unit.quantity != "duration":
        return None
    if len(value.canonical) > MOST_DIGITS:
        return None
    return Fraction(value.canonical) * unit.size  # `size`: seconds of one unit


def _seconds_between(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates, or two times of day, are apart; None for other values.

    3 May and 12 May 2026 are 9 days, 777,600 seconds, apart.
    """
    if first.kind is not second.kind:
        return None
    if first.kind is Kind.TIME:
        return abs(_seconds_since_midnight(second) - _seconds_since_midnight(first))
    if first.kind is Kind.DATE:
        return _seconds_between_dates(first, second)
    return None


def _seconds_since_midnight(time: WrittenValue) -> int:
    """Return the seconds of `17:10` or `17:10:05`."""
    parts = time.canonical.split(":")
    seconds = int(parts[2]) if len(parts) > 2 else 0
    return SECONDS_AN_HOUR * int(parts[0]) + 60 * int(parts[1]) + seconds


def _seconds_between_dates(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates are apart; None if neither has a year.

    If only one has a year, the other is taken to be in the same year. Without any, it is
    unknown if a 29 February lies between them.
    """
    year = year_of_date(first) or year_of_date(second)
    if not year:
        return None
    first_date = _date_in(year, first)
    second_date = _date_in(year, second)
    if first_date is None or second_date is None:
        return None
    return abs((second_date - first_date).days) * SECONDS_A_DAY


def _date_in(default_year: str, value: WrittenValue) -> date | None:
    """Return the date of a value, in its own year or the default one.

    12 March (canonically `--03-12`) in 2026 -> 2026-03-12. Returns None for 29 February in a
    year without that day.
    """
    year = year_of_date(value) or default_year
    month_and_day = day_of_date(value)  # `03-12`
    try:
        return date.fromisoformat(f"{year}-{month_and_day}")
    except ValueError:
        return None
