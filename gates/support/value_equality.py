"""Compares a value of an answer (the stated value) with a value in a text (the found
value).

The found value supports the stated one if both are of the same kind and equal at the
precision of the answer: `6.5 kg` is supported by `6.545 kg` ("rounded from 6.545") and
by `6500 g`, not by `6.7 kg` or `6.5 h`. Nothing is guessed: a scale, zone, year or unit
counts only if the answer or the text names it.

`compare_values` compares two values. `search_digits` helps to find the lines that are
worth comparing. The `canonical` of a value is the form that all its spellings share:
`1250.5`, `17:10`, `2026-03-12`, or `--03-12` without a year.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from controlplane.gates.support.number_labels import NumberLabels
from controlplane.gates.support.sources import Source
from controlplane.gates.text_folding import BOILERPLATE
from controlplane.gates.values.locale_names import (
    FUNCTION_WORDS,
    SHARED_NAMES,
    UNIT_BY_NAME,
    ZONE_OFFSETS,
    Unit,
)
from controlplane.gates.values.numerals import MOST_DIGITS, fraction_text, shifted
from controlplane.gates.values.value_kinds import (
    Kind,
    WrittenValue,
    day_of_date,
    year_of_date,
)

LEAST_ROUNDED: Final = 10
"""A number may be a rounded one if its digits, read without the point, are at least
this: 12 and 1.0, but not 2 and 0.7. Too many numbers round to one of a single digit."""
HEAD_LINES: Final = 12
"""First lines of a text, such as the head of a mail, whose year holds for dates without
a year."""
_YEARS: Final = range(1900, 2100)
_YEAR_DIGITS: Final = 4
_MINUTES_A_DAY: Final = 24 * 60
_FRACTION_DIGITS_BY_DECIMALS: Final = {"5": "12", "25": "14", "75": "34"}
"""The digits of the fractions that may stand for these decimals: `1/2`, `1/4`,
`3/4`."""
_SEARCHED_TELEPHONE_DIGITS: Final = 4
_FUNCTION_WORDS: Final = BOILERPLATE.union(
    *(words.split() for words in FUNCTION_WORDS.values())
)
"""Words that may follow a number without saying what it counts: `45 of`, unlike `45
seats`."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a found value supports a stated one."""

    note: str = ""
    """What differs, such as `rounded from 6.545`; empty if both values are equal."""
    is_rounded: bool = False
    """True if the stated value is the found one with fewer digits."""


EQUAL: Final = Agreement()


def compare_values(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare a value of an answer with one that was found on a line of a source.

    Returns None if the found value does not support the stated one.
    """
    match stated.kind:
        case Kind.NUMBER:
            return _compare_number(stated, found, source, line)
        case Kind.DATE:
            return _compare_dates(stated, found, source, line)
        case Kind.MONTH:
            return _compare_months(stated, found)
        case Kind.TIME:
            return _compare_times(stated, found, source)
        case Kind.ID:
            return _compare_ids(stated, found)
    if found.key == stated.key:
        return EQUAL
    return None


# Ids


def _compare_ids(stated: WrittenValue, found: WrittenValue) -> Agreement | None:
    """Accept an equal id, or a longer one that contains the id as a part: FA-19 in
    `orders/FA-19#3`."""
    if found.kind is not Kind.ID:
        return None
    parts = (
        found.canonical.replace(":", "/").replace("#", "/").replace("=", "/").split("/")
    )
    if stated.canonical == found.canonical or stated.canonical in parts:
        return EQUAL
    return None


# Dates and times


def _compare_dates(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare two dates, one of which may lack the year.

    - The answer says `3 May`, the text `3 May 2026`: they agree.
    - The answer says `3 May 2026`, the text `3 May`: the text must name 2026 near the
      date.
    """
    if found.kind is not Kind.DATE:
        return None
    if _share_reading(stated, found):
        return EQUAL
    if day_of_date(stated) != day_of_date(found):
        return None
    stated_year = year_of_date(stated)
    if not stated_year:
        return EQUAL
    if not year_of_date(found) and _names_year(source, line, stated_year):
        return Agreement(f"{found.text}, {stated_year}")
    return None


def _names_year(source: Source, line: int, year: str) -> bool:
    """Return True if a year stands on a line, in its heading, or in the first lines of
    its text."""
    if year in source.lines[line] or year in source.rows.heading_of(line):
        return True
    return any(year in head_line for head_line in source.lines[:HEAD_LINES])


def _compare_months(stated: WrittenValue, found: WrittenValue) -> Agreement | None:
    """Accept the same month, and a day of it: 2026-03 is supported by `12 March
    2026`."""
    if found.kind not in (Kind.MONTH, Kind.DATE):
        return None
    if found.canonical.startswith(
        stated.canonical
    ):  # `2026-03-12` starts with `2026-03`
        return EQUAL
    return None


def _compare_times(
    stated: WrittenValue, found: WrittenValue, source: Source
) -> Agreement | None:
    """Compare two times of day. The `unit` of a time is its zone, or empty.

    - Both have the same zone, or only the text has one: the times must be equal.
    - They have different zones: the times must be the same moment.
    - Only the answer has a zone: the times must be equal, and the text must name the
      zone somewhere.
    """
    if found.kind is not Kind.TIME:
        return None
    stated_zone = stated.unit
    found_zone = found.unit
    have_different_zones = (
        bool(stated_zone and found_zone) and stated_zone != found_zone
    )
    if have_different_zones:
        if _minutes_in_utc(stated) == _minutes_in_utc(found):
            return Agreement(found.text)
        return None
    if stated_zone and not found_zone and not _names_zone(source, stated_zone):
        return None
    if found.canonical.startswith(stated.canonical):  # 17:10 is supported by 17:10:05
        return EQUAL
    return None


def _names_zone(source: Source, offset: str) -> bool:
    """Return True if a text names a time zone with an offset such as `+01:00`, on any
    line."""
    words = source.text.replace("(", " ").replace(")", " ").replace(",", " ").split()
    return any(ZONE_OFFSETS.get(word) == offset for word in set(words))


def _minutes_in_utc(time: WrittenValue) -> int:
    """Return the minutes since midnight in UTC: 910, which is 15:10, for `17:10` at
    `+02:00`."""
    hours, minutes = time.canonical.split(":")[:2]
    zone_hours, zone_minutes = time.unit[1:].split(":")
    offset = 60 * int(zone_hours) + int(zone_minutes)
    if time.unit[0] == "-":
        offset = -offset
    return (60 * int(hours) + int(minutes) - offset) % _MINUTES_A_DAY


# Numbers


def _compare_number(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare a stated number with a value that was found on a line."""
    if found.kind is Kind.NUMBER:
        return _compare_numbers(stated, found, source.labels_of(line, found))
    may_have_year = found.kind in (Kind.DATE, Kind.MONTH, Kind.ID)
    if may_have_year and is_year(stated) and _has_year(found, stated.canonical):
        return EQUAL
    return None


def is_year(value: WrittenValue) -> bool:
    """Return True if a number may be a year: four digits without a unit, from 1900 to
    2099."""
    if not value.text.isdecimal() or value.unit or len(value.canonical) != _YEAR_DIGITS:
        return False
    return int(value.canonical) in _YEARS


def _has_year(found: WrittenValue, year: str) -> bool:
    """Return True if a date, month or id contains a year: 2026 in `2026-03-12`,
    `INV-2026-7`."""
    if found.kind is Kind.ID:
        parts = found.canonical.replace("/", "-").replace(".", "-").split("-")
        return year in parts
    return found.canonical.startswith(year)


def _compare_numbers(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels
) -> Agreement | None:
    """Compare two numbers. The found one has the unit beside it, or else that of its
    labels, such as the heading of its column.

    If the answer states `6.5 kg`, and the text has:

    - `6.5 kg`, or 6.5 in a column `weight_kg`: the amounts are compared as they are;
    - `6500 g`, or 6500 in a column `weight_g`: the found amount is converted;
    - a bare 6.5, without any unit or label: the amounts are compared as they are;
    - `6.5 h`, or 6.5 in a column `hours`: the numbers measure different things.
    """
    # 1. A text with `1.199` does not support 1199 in the answer: it may mean a little more than 1.
    only_found_is_ambiguous = (
        found.other_canonical != "" and stated.other_canonical == ""
    )
    if only_found_is_ambiguous:
        return None

    # 2. `1250` in the answer states `1,250 EUR` and `1,250 kg`.
    if not stated.unit:
        return _compare_amounts(stated, found, labels)

    # 3. A bare 12 in the text supports `12 kg`, but not `12 %`: few bare numbers are percentages.
    #    A number that counts something, such as `12 seats`, supports no amount with a unit.
    found_units = frozenset({found.unit}) if found.unit else labels.units
    if not found_units:
        counts_something = (
            found.follower != "" and found.follower not in _FUNCTION_WORDS
        )
        if counts_something or stated.unit == "%":
            return None
        return _compare_amounts(stated, found, labels)

    # 4. A unit of the found number must be the stated one, or convertible into it. If labels name
    #    several convertible ones, such as `g` and `t`, it is unknown which one counts.
    if any(are_same_unit(unit, stated.unit) for unit in found_units):
        return _compare_amounts(stated, found, labels)
    convertible = [unit for unit in found_units if _measure_the_same(unit, stated.unit)]
    if len(convertible) != 1:
        return None
    return _compare_converted(stated, found, convertible[0])


def are_same_unit(first: str, second: str) -> bool:
    """Return True if two units are equal, or if one is an ambiguous name of the other.

    `kr` may be SEK, NOK, DKK or ISK.
    """
    if first == second:
        return True
    return second in SHARED_NAMES.get(first, ()) or first in SHARED_NAMES.get(
        second, ()
    )


def _measure_the_same(first: str, second: str) -> bool:
    """Return True if one unit can be converted into the other: `g` and `kg`, not `g`
    and `h`."""
    if first not in UNIT_BY_NAME or second not in UNIT_BY_NAME:
        return False
    return UNIT_BY_NAME[first].quantity == UNIT_BY_NAME[second].quantity


def _compare_amounts(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels
) -> Agreement | None:
    """Compare two amounts in the same unit, as they are, scaled by labels, or rounded.

    By its labels, a found number may be in thousands or hundredths: 12 under `in
    thousands` supports 12,000.
    """
    if _share_reading(stated, found):
        return EQUAL
    for power in labels.powers:
        if shifted(found.canonical, power) == stated.canonical:
            return EQUAL
    if found.decimals <= stated.decimals:
        return None
    exact = amount_of(found)
    if exact is not None and is_rounded(stated, exact):
        return Agreement(f"rounded from {found.text}", is_rounded=True)
    return None


def _compare_converted(
    stated: WrittenValue, found: WrittenValue, found_unit: str
) -> Agreement | None:
    """Compare amounts in two units of one quantity: `6.5 kg` and `6500 g`."""
    amount = amount_of(found)
    if amount is None:
        return None
    converted = amount * UNIT_BY_NAME[found_unit].size / UNIT_BY_NAME[stated.unit].size
    if fraction_text(converted) == stated.canonical:
        return Agreement(f"{found.text} {found_unit}")
    if is_rounded(stated, converted):
        return Agreement(f"rounded from {found.text} {found_unit}", is_rounded=True)
    return None


def amount_of(value: WrittenValue) -> Fraction | None:
    """Return the exact amount of a number, or None if it has too many digits to
    calculate with."""
    if len(value.canonical) > MOST_DIGITS:
        return None
    return Fraction(value.canonical)


def is_rounded(stated: WrittenValue, exact: Fraction) -> bool:
    """Return True if an exact amount, rounded to the decimals of a stated number, gives
    this number.

    A half may be rounded either way: 6.55 to 6.5 or 6.6.
    """
    amount = amount_of(stated)
    if amount is None:
        return False
    last_digit = Fraction(10) ** -stated.decimals  # 1/10 for 6.5
    is_long_enough = abs(amount) >= LEAST_ROUNDED * last_digit
    return is_long_enough and abs(amount - exact) <= last_digit / 2


def _share_reading(stated: WrittenValue, found: WrittenValue) -> bool:
    """Return True if two values can mean the same.

    `03/04/2026` is ambiguous: its readings are 3 April and 4 March.

    - In the answer, it is supported by a text with either of them, which decides what
      was meant.
    - In the text, nothing decides what was meant. It supports only the same ambiguous
      date.
    """
    stated_readings = {stated.canonical, stated.other_canonical}
    if found.other_canonical:
        return {found.canonical, found.other_canonical} == stated_readings
    return found.canonical in stated_readings


# Which lines to compare


@lru_cache(maxsize=64)  # because one value is searched for in many sources
def search_digits(value: WrittenValue) -> tuple[str, ...]:
    """Return strings of which a line must contain at least one to state a value.

    Lines without any of them need not be read. Lines with one of them may still state
    other values. Blanks and marks do not count: `1,250.00 kg` gives `125`, found in `1
    250 kg` and in `1.25 t`.
    """
    match value.kind:
        case Kind.NUMBER:
            return tuple(dict.fromkeys(_search_digits_of_number(value)))
        case Kind.DATE:
            # The day: the year may be missing, and the month may be written as a word.
            _month, day = day_of_date(value).split("-")
            return (str(int(day)),)
        case Kind.MONTH:
            # The year in two digits, as in `12.03.26`; the month may be written as a
            # word.
            year, _month = value.canonical.split("-")
            return (year[-2:],)
        case Kind.TIME:
            return tuple(_search_digits_of_time(value))
        case Kind.URL:
            # The last part of the path: scheme and host may be spelled in several ways.
            last_part = value.canonical.rpartition("/")[2]
            return (_letters_and_digits(last_part),)
        case Kind.TELEPHONE:
            # The end: the code of the country may be missing, and `(0)` may be
            # inserted.
            return (value.canonical[-_SEARCHED_TELEPHONE_DIGITS:],)
    return (_letters_and_digits(value.canonical),)


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _search_digits_of_number(value: WrittenValue) -> Iterator[str]:
    """Yield the digits of a number in each form that `compare_values` accepts."""
    # 1. As it is, or in thousands: 3.5 and 3500 both give `35`.
    yield significant_digits(value.canonical)
    if value.other_canonical:
        yield significant_digits(value.other_canonical)
    amount = amount_of(value)
    if amount is None:
        return

    # 2. With a fraction: 3.5 is written as `3 1/2`, which has the digits `312`.
    whole, _, decimals = value.canonical.partition(".")
    if decimals in _FRACTION_DIGITS_BY_DECIMALS:
        yield whole.lstrip("-") + _FRACTION_DIGITS_BY_DECIMALS[decimals]

    # 3. In another unit: `90 min` is written as `1.5 h`.
    for unit in convertible_units(value.unit):
        converted = fraction_text(amount * UNIT_BY_NAME[value.unit].size / unit.size)
        is_endless = "/" in converted  # a third of an hour cannot be written in digits
        if not is_endless and len(converted) < MOST_DIGITS:
            yield significant_digits(converted)

    # 4. Before rounding: 6.5 may be 6.54 in the text.
    yield from _digits_before_rounding(value, amount)


def _digits_before_rounding(stated: WrittenValue, amount: Fraction) -> Iterator[str]:
    """Yield the first digits of the numbers that round to a stated one: `65` and `64`
    for 6.5.

    6.54 is rounded down and begins with 65; 6.45 is rounded up and begins with 64, one
    less.
    """
    without_point = abs(amount) * Fraction(10) ** stated.decimals  # 6.5 -> 65
    is_whole = (
        without_point.denominator == 1
    )  # not so for a third, which has no last digit
    if is_whole and without_point >= LEAST_ROUNDED:
        yield str(int(without_point))
        yield str(int(without_point) - 1)


def convertible_units(unit: str) -> list[Unit]:
    """Return the units into which an amount can be converted: all masses for `kg`."""
    if unit not in UNIT_BY_NAME:
        return []
    quantity = UNIT_BY_NAME[unit].quantity
    return [
        candidate
        for candidate in UNIT_BY_NAME.values()
        if candidate.quantity == quantity
    ]


def significant_digits(canonical: str) -> str:
    """Return the digits of an amount without zeros at its ends.

    `1250.5` -> `12505`, `0.50` -> `5`; of the fraction `1/3`, only its numerator: `1`.
    """
    numerator = canonical.partition("/")[0]
    digits = numerator.replace(".", "").replace("-", "")
    return digits.strip("0") or "0"


def _search_digits_of_time(value: WrittenValue) -> Iterator[str]:
    """Yield the minutes of a time: `17:10` -> `10`. For a full hour, yield the hour,
    because a text may say `17 h` or `5 pm`: `17:00` -> `17` and `5`.

    A time with a zone has another hour in other zones, so its minutes are always
    searched for.
    """
    hour, minute = value.canonical.split(":")[:2]
    has_zone = value.unit != ""
    if minute != "00" or has_zone:
        yield minute
        return
    yield str(int(hour))
    hour_of_twelve = int(hour) % 12 or 12  # 0 and 12 are both written as 12
    if hour_of_twelve != int(hour):
        yield str(hour_of_twelve)
