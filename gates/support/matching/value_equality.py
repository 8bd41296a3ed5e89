"""Compares a value of an answer (the stated value) with a value in a text (the found value).

The found value supports the stated one if both are of the same kind and equal at the
precision of the answer: `6.5 kg` is supported by `6.545 kg` ("rounded from 6.545") and
by `6500 g`, not by `6.7 kg` or `6.5 h`. Nothing is guessed: a scale, zone, year or unit
counts only if the answer or the text names it.

The `canonical` of a value is the form that all its spellings share: `1250.5`, `17:10`,
`2026-03-12`, or `--03-12` without a year.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from controlplane.gates.boilerplate import BOILERPLATE
from controlplane.gates.support.sources import NumberLabels, Source
from controlplane.gates.values.digits import MOST_DIGITS, fraction_text, shifted
from controlplane.gates.values.locale_names import FUNCTION_WORDS, ZONE_OFFSETS
from controlplane.gates.values.spans import (
    ValueKind,
    WrittenValue,
    day_of_date,
    year_of_date,
)
from controlplane.gates.values.units import SHARED_NAMES, UNIT_BY_NAME

# How a value in a text supports a value of an answer.
#
# answer (stated)    text (found)
# `1,250 kg`         `1250 kg`       EQUAL
# `6.5 kg`           `6.545 kg`      Agreement("rounded from 6.545", is_rounded=True)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a found value supports a stated one."""

    note: str = ""
    """What differs, such as `rounded from 6.545`; empty if both values are equal."""
    is_rounded: bool = False
    """True if the stated value is the found one with fewer digits."""


EQUAL: Final = Agreement()


def _share_reading(stated: WrittenValue, found: WrittenValue) -> bool:
    """Return True if the value of a text can mean the same as the stated one of the answer.

    `03/04/2026` has two readings: 3 April and 4 March.

    | the answer states | the text has   | supported                                       |
    | ----------------- | -------------- | ----------------------------------------------- |
    | `03/04/2026`      | `4 March 2026` | yes, the answer can mean this                   |
    | `4 March 2026`    | `03/04/2026`   | no, nothing says that the text means this       |
    | `03/04/2026`      | `03/04/2026`   | yes                                             |
    """
    # `canonical` is the first reading, and `other_canonical` the second one or "".
    stated_readings = {stated.canonical, stated.other_canonical}
    if found.other_canonical:
        return {found.canonical, found.other_canonical} == stated_readings
    return found.canonical in stated_readings


# Compares dates and months: `3 May` with `3 May 2026`, `March 2026` with `12 March 2026`.
#
# The `canonical` of a date is `2026-05-03`, or `--05-03` without a year.

_HEAD_LINES: Final = 12
"""The year in these first lines, such as the head of a mail, holds for dates without a year."""


def _compare_dates(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare a date that an answer states with one on a line of a text; None if they differ.

    | stated       | found        | they agree                                      |
    | ------------ | ------------ | ----------------------------------------------- |
    | `03/04/2026` | `2026-03-04` | yes, it may be read as 3 April or as 4 March    |
    | `3 May`      | `3 May 2026` | yes, the answer leaves the year out             |
    | `3 May 2026` | `3 May`      | if the text names 2026 near the date            |
    | `3 May 2026` | `3 May 2025` | no                                              |
    """
    if found.kind is not ValueKind.DATE:
        return None
    if _share_reading(stated, found):
        return EQUAL
    if day_of_date(stated) != day_of_date(found):
        return None
    stated_year = year_of_date(stated)
    if not stated_year:
        return EQUAL
    if not year_of_date(found) and _names_year(source, line, stated_year):
        # The note names the year apart, because the text has it at another place: `3 May, 2026`
        return Agreement(f"{found.text}, {stated_year}")
    return None


def _names_year(source: Source, line: int, year: str) -> bool:
    """Return True if a text names a year near a line, which is given by its index.

    Near is the line itself, the heading of its table, and the first lines of the text.
    """
    if year in source.lines[line] or year in source.rows.heading_of(line):
        return True
    return any(year in head_line for head_line in source.lines[:_HEAD_LINES])


def _compare_months(stated: WrittenValue, found: WrittenValue) -> Agreement | None:
    """Accept the same month, and a day of it: 2026-03 is supported by `12 March 2026`."""
    if found.kind not in (ValueKind.MONTH, ValueKind.DATE):
        return None
    is_in_month = found.canonical.startswith(stated.canonical)
    return EQUAL if is_in_month else None


# Says if a number that an answer states is rounded from an exact amount: 6.5 from 6.545.

LEAST_ROUNDED: Final = 10
"""A number may be rounded if its digits make at least this: 12 and 1.0, but not 2 and 0.7.

Too many numbers round to one of a single digit.
"""


def amount_of(value: WrittenValue) -> Fraction | None:
    """Return the exact amount of a number, or None if it has too many digits to calculate with."""
    if len(value.canonical) > MOST_DIGITS:
        return None
    return Fraction(value.canonical)


def is_rounded(stated: WrittenValue, exact: Fraction) -> bool:
    """Return True if an exact amount gives a stated number when it is rounded to its decimals.

    6.545 gives 6.5. A half may be rounded either way: 6.55 to 6.5 or 6.6. Numbers of a single
    digit never count (see `LEAST_ROUNDED`).
    """
    amount = amount_of(stated)
    if amount is None:
        return False
    last_digit = Fraction(10) ** -stated.decimals  # 1/10 for 6.5
    # In units of its last digit, 6.5 is 65, which is at least `LEAST_ROUNDED`.
    is_long_enough = abs(amount) >= LEAST_ROUNDED * last_digit
    return is_long_enough and abs(amount - exact) <= last_digit / 2


# Compares two numbers by amount and unit: `6.5 kg` with `6.545 kg` or `6500 g`.
#
# One number is stated in an answer, the other was found in a text. An `Agreement` says that
# they are equal, or in what they differ, such as "rounded from 6.545"; None says that the text
# does not support the answer.

_FUNCTION_WORDS: Final = BOILERPLATE.union(
    *(words.split() for words in FUNCTION_WORDS.values())
)
"""Words that may follow a number without saying what it counts: `45 of`, unlike `45 seats`."""


def _compare_numbers(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels
) -> Agreement | None:
    """Compare the number that an answer states with one that was found in a text.

    The unit of the found number is the one beside it, or else that of its labels, such
    as the heading of its column. If the answer states `6.5 kg`, and the text has:

    - `6.5 kg`, or 6.5 in a column `weight_kg`: the amounts are compared as they are;
    - `6500 g`, or 6500 in a column `weight_g`: the found amount is converted;
    - a bare 6.5, without any unit or label: the amounts are compared as they are;
    - `6.5 h`, or 6.5 in a column `hours`: they differ, so None is returned.
    """
    # `other_canonical` is a second way to read a number: `1.199` as 1199 or 1.199. If the
    # text can be read in two ways and the answer cannot, the text does not support it.
    if found.other_canonical and not stated.other_canonical:
        return None
    if not stated.unit:
        return _compare_amounts(stated, found, labels)
    units = frozenset({found.unit}) if found.unit else labels.units
    if not units:
        return _compare_with_bare(stated, found, labels)
    if any(_are_same_unit(unit, stated.unit) for unit in units):
        return _compare_amounts(stated, found, labels)

    # If labels name two convertible units, it is unknown which one counts.
    convertible = [unit for unit in units if _measure_the_same(unit, stated.unit)]
    if len(convertible) != 1:
        return None
    return _compare_converted(stated, found, convertible[0])


def _compare_with_bare(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels
) -> Agreement | None:
    """Compare the number that an answer states, with a unit, with a found one that has none.

    stated     found in the text
    `12 kg`    `12`         agree: the text may have left the unit out
    `12 %`     `12`         differ, because few numbers without a unit are percentages
    `12 kg`    `12 seats`   differ, because `seats` says what the number counts
    """
    # `follower` is the word behind the number, such as `seats`.
    counts_something = found.follower != "" and found.follower not in _FUNCTION_WORDS
    if counts_something or stated.unit == "%":
        return None
    return _compare_amounts(stated, found, labels)


def _are_same_unit(first: str, second: str) -> bool:
    """Return True if two units are equal, or if one is an ambiguous name of the other.

    `kr` may be SEK, NOK, DKK or ISK.
    """
    meanings_of_first = SHARED_NAMES.get(first, ())
    meanings_of_second = SHARED_NAMES.get(second, ())
    return first == second or second in meanings_of_first or first in meanings_of_second


def _measure_the_same(first: str, second: str) -> bool:
    """Return True if one unit can be converted into the other: `g` and `kg`, not `g` and `h`."""
    if first not in UNIT_BY_NAME or second not in UNIT_BY_NAME:
        return False
    return UNIT_BY_NAME[first].quantity == UNIT_BY_NAME[second].quantity


def _compare_amounts(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels
) -> Agreement | None:
    """Compare two amounts in the same unit: as they are, scaled by labels, or rounded.

    Returns None if the found number does not support the stated one. Labels are words beside
    the found number, such as the heading of its column.
    """
    if _share_reading(stated, found):  # stated `1.199`, found `1199`
        return EQUAL
    # 12 under the heading `in thousands`, the power 3 of ten, supports 12,000.
    for power in labels.powers:
        if shifted(found.canonical, power) == stated.canonical:
            return EQUAL
    # A stated number may be rounded from one with more decimals: 6.5 from 6.545.
    if found.decimals <= stated.decimals:
        return None
    exact = amount_of(found)
    if exact is not None and is_rounded(stated, exact):
        return Agreement(f"rounded from {found.text}", is_rounded=True)
    return None


def _compare_converted(
    stated: WrittenValue, found: WrittenValue, found_unit: str
) -> Agreement | None:
    """Compare amounts in two units of one quantity: `6.5 kg` and `6500 g`, which are equal.

    `found_unit` is the unit of the found number, beside it or from its labels. Returns None if
    the amounts differ.
    """
    amount = amount_of(found)
    if amount is None:
        return None
    # `size`: how many base units one unit has, such as 1000 grams of a kilogram
    converted = amount * UNIT_BY_NAME[found_unit].size / UNIT_BY_NAME[stated.unit].size
    if fraction_text(converted) == stated.canonical:
        return Agreement(f"{found.text} {found_unit}")
    if is_rounded(stated, converted):
        return Agreement(f"rounded from {found.text} {found_unit}", is_rounded=True)
    return None


# Compares times of day: `17:10` with `17:10:05`, `17:10 CET` with `16:10 UTC`.

_MINUTES_A_DAY: Final = 24 * 60


def _compare_times(
    stated: WrittenValue, found: WrittenValue, source: Source
) -> Agreement | None:
    """Compare two times of day.

    | stated      | supported by | if                             |
    | ----------- | ------------ | ------------------------------ |
    | `17:10`     | `17:10:05`   | always                         |
    | `17:10`     | `17:10 CET`  | always                         |
    | `17:10 CET` | `16:10 UTC`  | both are the same moment       |
    | `17:10 CET` | `17:10`      | the text names CET on any line |
    """
    if found.kind is not ValueKind.TIME:
        return None
    stated_zone = stated.unit
    found_zone = found.unit
    if stated_zone and found_zone and stated_zone != found_zone:
        is_same_moment = _minutes_in_utc(stated) == _minutes_in_utc(found)
        return Agreement(found.text) if is_same_moment else None
    if stated_zone and not found_zone and not _names_zone(source, stated_zone):
        return None
    if found.canonical.startswith(stated.canonical):
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


_YEARS: Final = range(1900, 2100)
_YEAR_DIGITS: Final = 4


def compare_values(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare a value of an answer with one that was found on a line of a source.

    Returns None if the found value does not support the stated one.
    """
    match stated.kind:
        case ValueKind.NUMBER:
            return _compare_number(stated, found, source, line)
        case ValueKind.DATE:
            return _compare_dates(stated, found, source, line)
        case ValueKind.MONTH:
            return _compare_months(stated, found)
        case ValueKind.TIME:
            return _compare_times(stated, found, source)
        case ValueKind.ID:
            return _compare_ids(stated, found)
    if found.key == stated.key:
        return EQUAL
    return None


# Numbers and years


def _compare_number(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare a stated number with a value that was found on a line."""
    if found.kind is ValueKind.NUMBER:
        # Labels name the unit or scale of a number: the heading `weight_kg` of its column.
        labels = source.labels.of(line, found)
        return _compare_numbers(stated, found, labels)
    may_have_year = found.kind in (ValueKind.DATE, ValueKind.MONTH, ValueKind.ID)
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
    if found.kind is ValueKind.ID:
        parts = found.canonical.replace("/", "-").replace(".", "-").split("-")
        return year in parts
    return found.canonical.startswith(year)


# Ids


def _compare_ids(stated: WrittenValue, found: WrittenValue) -> Agreement | None:
    """Accept an equal id, or one that has it as a part: FA-19 in `orders/FA-19#3`."""
    if found.kind is not ValueKind.ID:
        return None
    whole = found.canonical
    parts = whole.replace(":", "/").replace("#", "/").replace("=", "/").split("/")
    is_equal = stated.canonical in (whole, *parts)
    return EQUAL if is_equal else None
