"""Finds the lines of sources that state a value of an answer, and the one that is most likely meant.

To read the values of a line is slow, so only lines with the digits of the value are
read: for `1,250.00 kg`, those with `125` in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import islice
from typing import Final

import re2

from controlplane.gates.support.sources import NumberLabels, Place, Source, search_key
from controlplane.gates.text_folding import BOILERPLATE, distinctive_words
from controlplane.gates.values.dates import seconds_of_clock
from controlplane.gates.values.identifiers import UNIT_OF_CODE
from controlplane.gates.values.notations import (
    FUNCTION_WORDS,
    NUMBER_WORDS,
    SHARED_NAMES,
    UNIT_BY_NAME,
    ZONE_OFFSETS,
    Unit,
)
from controlplane.gates.values.numerals import (
    MOST_DIGITS,
    currency_of,
    fraction_text,
    measure_behind,
)
from controlplane.gates.values.spans import (
    ValueKind,
    WrittenValue,
    day_of_date,
    year_of_date,
)
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

# How a value in a text supports a value of an answer.
#
# answer (stated)    text (found)
# `1,250 kg`         `1250 kg`       EQUAL
# `6.5 kg`           `6.545 kg`      Agreement("rounded from 6.545", is_rounded=True)


@dataclass(frozen=True, slots=True)
class _Agreement:
    """How a found value supports a stated one."""

    note: str = ""
    """What differs, such as `rounded from 6.545`; empty if both values are equal."""
    is_rounded: bool = False
    """True if the stated value is the found one with fewer digits."""


_EQUAL: Final = _Agreement()


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
) -> _Agreement | None:
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
        return _EQUAL
    if day_of_date(stated) != day_of_date(found):
        return None
    stated_year = year_of_date(stated)
    if not stated_year:
        return _EQUAL
    # The year may stand near the date: on its line, in the heading of its table, or in the first
    # lines of the text.
    near_lines = [source.lines[line], source.heading_of(line)]
    near_lines += source.lines[:_HEAD_LINES]
    names_year = any(stated_year in near_line for near_line in near_lines)
    if names_year and not year_of_date(found):
        # The note names the year apart, because the text has it at another place: `3 May, 2026`
        return _Agreement(f"{found.text}, {stated_year}")
    return None


# Says if a number that an answer states is rounded from an exact amount: 6.5 from 6.545.

_LEAST_ROUNDED: Final = 10
"""A number may be rounded if its digits make at least this: 12 and 1.0, but not 2 and 0.7.

Too many numbers round to one of a single digit.
"""


def amount_of(value: WrittenValue) -> Fraction | None:
    """Return the exact amount of a number; None for another value, or one with too many digits."""
    if value.kind is not ValueKind.NUMBER or len(value.canonical) > MOST_DIGITS:
        return None
    return _amount(value.canonical)


# Thousands of lines may state the same few numbers.
@lru_cache(maxsize=4096)
def _amount(canonical: str) -> Fraction:
    """Return the amount of a number's canonical form: 13/2 for `6.5`."""
    return Fraction(canonical)


def is_rounded(stated: WrittenValue, exact: Fraction) -> bool:
    """Return True if an exact amount gives a stated number when it is rounded to its last digit.

    6.545 gives 6.5. A half may be rounded either way: 6.55 to 6.5 or 6.6. Numbers of a single
    digit never count (see `_LEAST_ROUNDED`).
    """
    if stated.kind is not ValueKind.NUMBER:
        return False
    bounds = _amounts_rounded_to(stated.canonical, stated.decimals)
    return bounds is not None and bounds[0] <= exact <= bounds[1]


@lru_cache(maxsize=4096)
def _amounts_rounded_to(
    canonical: str, decimals: int
) -> tuple[Fraction, Fraction] | None:
    """Return the least and the largest amount that round to a number; None if none counts.

    `6.5` -> 6.45 and 6.55; `about 86,300` -> 86,250 and 86,350.
    """
    if len(canonical) > MOST_DIGITS:
        return None
    last_digit = Fraction(10) ** -decimals
    amount = _amount(canonical)
    # In units of its last digit, 6.5 is 65, which is at least `_LEAST_ROUNDED`.
    if abs(amount) < _LEAST_ROUNDED * last_digit:
        return None
    return amount - last_digit / 2, amount + last_digit / 2


# Compares two numbers by amount and unit: `6.5 kg` with `6.545 kg` or `6500 g`.
#
# A found number may mean several amounts in the unit of the stated one: as it is, converted, or
# multiplied as the heading of its column says. It supports the stated number if one of these is
# equal to it, or gives it when it is rounded.

_FUNCTION_WORDS: Final = BOILERPLATE.union(
    *(words.split() for words in FUNCTION_WORDS.values())
)
"""Words that may follow a number without saying what it counts: `45 of`, unlike `45 seats`."""
_MOST_EXACT_DECIMALS: Final = 9
"""A number with more decimals is the print of a float: 851.4449999999999 for 851.445."""
_MOST_PRINTED_SHARE: Final = 10
"""A script may print a quotient above 1: 1.2 for 120 %."""
_SCALES_OF_PRINTED: Final = (3, 4, 6, 8, 9, 12)
"""Powers of ten in which a script may compute: 6 if its numbers are millions."""
_UNITS_OF_PRINTED: Final = frozenset({"s", "min", "h"})
"""A number that a script printed without a unit may be a duration in one of these."""


def _compare_amounts(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels, *, is_printed: bool
) -> _Agreement | None:
    """Compare the number that an answer states with one that was found in a text.

    `labels` are the units and scales that the heading of its column names. `is_printed` is True for
    a number that a script printed without a word of its unit or scale.
    """
    # What is copied is the same, however each text reads its marks: `7.300 CHF` in a JSON file.
    is_copied = (stated.text, stated.unit) == (found.text, found.unit)
    have_one_sign = stated.canonical.startswith("-") == found.canonical.startswith("-")
    is_scaled = min(stated.decimals, found.decimals) < 0  # `7,300 thousand CHF`
    if stated.unit and is_copied and have_one_sign and not is_scaled:
        return _EQUAL
    # If the text can be read in two ways and the answer cannot, the text does not support it.
    if found.other_canonical and not stated.other_canonical:
        return None
    sign = _sign_of(stated, found)
    amounts = list(_amounts_of(stated, found, labels, is_printed=is_printed))
    if sign < 0:
        amounts = [(-amount, shown) for amount, shown in amounts]
    readings = [stated.canonical]
    if stated.other_canonical and not found.other_canonical:
        readings.append(stated.other_canonical)
    stated_amounts = [
        _amount(reading) for reading in readings if len(reading) <= MOST_DIGITS
    ]
    for amount, shown in amounts:
        if amount in stated_amounts:
            note = shown if sign > 0 else found.text
            return _Agreement(note)
    for amount, shown in amounts:
        if is_rounded(stated, amount):
            return _Agreement(f"rounded from {shown or found.text}", is_rounded=True)
    return None


def is_same_amount(stated: WrittenValue, found: WrittenValue) -> bool:
    """Return True if two numbers with units are the same amount, maybe rounded or converted."""
    no_labels = NumberLabels(frozenset(), frozenset())
    return _compare_amounts(stated, found, no_labels, is_printed=False) is not None


def _amounts_of(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels, *, is_printed: bool
) -> Iterator[tuple[Fraction, str]]:
    """Yield the amounts that a found number may mean in the unit of the stated one.

    Each comes with how it is shown if that is not the number alone. If the answer states `6.5 kg`:

    - `6.5 kg`, or 6.5 in a column `weight_kg`, is 6.5;
    - `6500 g`, or 6500 in a column `weight_g`, is converted;
    - a bare 6.5 is 6.5, unless `6.5 seats` says what it counts. Few numbers without a unit are
      percentages, so `27.5 %` needs the share 0.275;
    - `6.5 h`, or 6.5 in a column `hours`, is nothing.

    A script prints neither units nor scales: its 5930 may be litres for `59.3 hl`, its 205.1 seconds
    for `3:25 min`, and its 1853.8 millions for `1.85 billion`.
    """
    exact = amount_of(found)
    if exact is None:
        return
    if found.decimals > _MOST_EXACT_DECIMALS:
        exact = round(exact, _MOST_EXACT_DECIMALS)
    units = frozenset({found.unit}) if found.unit else labels.units
    is_unknown = is_printed and not found.unit
    is_bare = not units and (not found.follower or found.follower in _FUNCTION_WORDS)
    # `kr` may be SEK, NOK, DKK or ISK.
    is_same_unit = any(
        stated.unit in (unit, *SHARED_NAMES.get(unit, ()))
        or unit in SHARED_NAMES.get(stated.unit, ())
        for unit in units
    )
    is_share = stated.unit == "%" and not units
    if is_share and found.decimals > 0 and (is_bare or is_unknown):
        if abs(exact) <= (_MOST_PRINTED_SHARE if is_unknown else 1):
            yield 100 * exact, found.text
    if not stated.unit or is_same_unit or (is_bare and not is_share):
        yield exact, ""
        for power in labels.powers:  # 3 below the heading `in thousands`
            yield exact * Fraction(10) ** power, ""

    # If labels name two convertible units, it is unknown which one counts.
    convertible = [
        unit for unit in _convertible_units(stated.unit) if unit.name in units
    ]
    if is_unknown:
        convertible += [
            unit
            for unit in _convertible_units(stated.unit)
            if unit.quantity != "duration" or unit.name in _UNITS_OF_PRINTED
        ]
    elif len(convertible) > 1 or is_same_unit:
        convertible = []
    for unit in convertible:
        # `size`: how many base units one unit has, such as 1000 grams of a kilogram
        converted = exact * unit.size / UNIT_BY_NAME[stated.unit].size
        yield converted, f"{found.text} {unit.name}"

    # Only a word such as `million` makes the decimals negative.
    for power in _SCALES_OF_PRINTED if is_unknown and stated.decimals < 0 else ():
        if stated.decimals + power > -min(_SCALES_OF_PRINTED):
            yield exact * Fraction(10) ** power, ""


def _sign_of(stated: WrittenValue, found: WrittenValue) -> int:
    """Return -1 if a number may mean one of the other sign, else 1.

    | stated     | found        | they agree                                             |
    | ---------- | ------------ | ------------------------------------------------------ |
    | `3.2 %`    | `-3.2 %`     | yes: words such as "fell by" say the sign               |
    | `-1234.50` | `(1,234.50)` | yes: bookkeepers write negative numbers in parentheses |
    | `-3.2 %`   | `3.2 %`      | no                                                     |
    | `5 °C`     | `-5 °C`      | no: only changes and money are told without their sign |
    """
    is_negative = found.canonical.startswith("-")
    if stated.canonical.startswith("-") == is_negative:
        return 1
    # Words call a loss, a fall or a debt so, of money and percentages.
    unit = stated.unit or found.unit
    is_told_without = unit == "%" or currency_of(unit) != ""
    if stated.has_plus:
        return 1
    if is_negative and (is_told_without or stated.may_be_negative):
        return -1
    return -1 if found.may_be_negative else 1


# Compares durations in their notations: `6:10`, `6 h 10 min`, 370 min, 22,200 s.

_MOST_ROUNDED_PART: Final = Fraction(1, 20)
"""A duration is rounded if this part of it, or less, is lost: `3:25` for 205.1 s."""


def _compare_durations(
    stated: WrittenValue, found: WrittenValue, units: frozenset[str] = frozenset()
) -> _Agreement | None:
    """Compare two durations: `6:10` may be 370 min or 370 s, and nothing in between.

    `units` are those that a number without a unit may have.
    """
    if {stated.kind, found.kind} == {ValueKind.TIME, ValueKind.NUMBER}:
        times = [value for value in (stated, found) if value.kind is ValueKind.TIME]
        if times[0].canonical.endswith(":00") and {"h"} & {stated.unit, found.unit}:
            return None  # `18:00` is a time of day, and not `18 h`
    for seconds, last_digit in _durations_of(stated, frozenset()).items():
        for found_seconds in _durations_of(found, units):
            if seconds == found_seconds:
                return _EQUAL if stated.text == found.text else _Agreement(found.text)
            is_fine = found.kind is ValueKind.NUMBER and found.decimals > 0
            is_near = abs(seconds - found_seconds) <= last_digit / 2
            is_long = last_digit <= seconds * _MOST_ROUNDED_PART
            if is_fine and is_near and is_long:
                return _Agreement(f"rounded from {found.text}", is_rounded=True)
    return None


def _durations_of(
    value: WrittenValue, units: frozenset[str]
) -> Mapping[Fraction, Fraction]:
    """Return the seconds that a value may mean, each with the seconds of its last digit.

    `2:40` -> 9600 s to the minute, and 160 s to the second. A time with a zone has none.
    """
    if value.kind is ValueKind.TIME:
        if value.unit:
            return {}
        readings = seconds_of_clock(value.text)
        # Of two readings, the longer one is in hours and minutes.
        to_minutes = max(readings) if len(readings) > 1 else None
        return {
            seconds: Fraction(60 if seconds == to_minutes else 1)
            for seconds in readings
        }
    amount = amount_of(value)
    if amount is None:
        return {}
    durations: dict[Fraction, Fraction] = {}
    for name in {value.unit} if value.unit else units:
        unit = UNIT_BY_NAME.get(name)
        if unit is not None and unit.quantity == "duration":
            last_digit = Fraction(10) ** -value.decimals
            durations[amount * unit.size] = last_digit * unit.size
    return durations


# Compares times of day: `17:10` with `17:10:05`, `17:10 CET` with `16:10 UTC`.

_MINUTES_A_DAY: Final = 24 * 60


def _compare_times(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> _Agreement | None:
    """Compare two times of day.

    | stated      | supported by | if                             |
    | ----------- | ------------ | ------------------------------ |
    | `17:10`     | `17:10:05`   | always                         |
    | `17:10`     | `17:10 CET`  | always                         |
    | `17:10 CET` | `16:10 UTC`  | both are the same moment       |
    | `17:10 CET` | `17:10`      | the text names CET on any line, or its column does |
    """
    if found.kind is not ValueKind.TIME:
        return None
    stated_zone = stated.unit
    found_zone = found.unit
    if stated_zone and found_zone and stated_zone != found_zone:
        is_same_moment = _minutes_in_utc(stated) == _minutes_in_utc(found)
        return _Agreement(found.text) if is_same_moment else None
    if stated_zone and not found_zone:
        words = (
            source.text.replace("(", " ").replace(")", " ").replace(",", " ").split()
        )
        label = source.label_text(line, found.start).upper()  # `start_utc`
        words += label.replace("_", " ").split()
        zones = {ZONE_OFFSETS.get(word) for word in words}
        if stated_zone not in zones:
            return None
    if found.canonical.startswith(stated.canonical):
        return _EQUAL
    return None


def _minutes_in_utc(time: WrittenValue) -> int:
    """Return the minutes since midnight in UTC: 910, which is 15:10, for `17:10` at `+02:00`."""
    hours, minutes = time.canonical.split(":")[:2]
    zone_hours, zone_minutes = time.unit[1:].split(":")
    offset = 60 * int(zone_hours) + int(zone_minutes)
    if time.unit[0] == "-":
        offset = -offset
    return (60 * int(hours) + int(minutes) - offset) % _MINUTES_A_DAY


_NUMBER_OR_DATE: Final = re2.compile(r"\d{1,2}\.\d{1,2}\.")
"""`2.5.`, which is 2 May, or 2.5 at the end of a sentence."""


def _number_in(value: WrittenValue) -> WrittenValue:
    """Return the number that a date such as `2.5.` may be, or else the value as it is."""
    if _NUMBER_OR_DATE.fullmatch(value.text) is None:
        return value
    return replace(written_values(value.text[:-1])[0], start=value.start)


_YEARS: Final = range(1900, 2100)
_YEAR_DIGITS: Final = 4


def _compare_values(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> _Agreement | None:
    """Compare a value of an answer with one that was found on a line of a source.

    Returns None if the found value does not support the stated one.
    """
    if stated.kind is not found.kind:
        # The same characters may be read as another kind: `6.2.11` is a version or a date.
        spellings = {stated.text.rstrip("."), stated.canonical}
        if not spellings.isdisjoint({found.text.rstrip("."), found.canonical}):
            return _EQUAL
        stated = _number_in(stated)
        found = _number_in(found)
    match stated.kind:
        case ValueKind.NUMBER:
            return _compare_number(stated, found, source, line)
        case ValueKind.DATE:
            return _compare_dates(stated, found, source, line)
        case ValueKind.MONTH:  # a month, or a day of it: 2026-03 for `12 March 2026`
            has_month = found.kind in (ValueKind.MONTH, ValueKind.DATE)
            is_in_month = has_month and found.canonical.startswith(stated.canonical)
            return _EQUAL if is_in_month else None
        case ValueKind.TIME:
            return _compare_times(stated, found, source, line) or _compare_clock(
                stated, found, source, line
            )
        case ValueKind.ID:
            return _compare_ids(stated, found)
    return _EQUAL if found.key == stated.key else None


def _compare_clock(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> _Agreement | None:
    """Compare `2:40`, which may be a duration, with a duration in any notation."""
    # `32:28` may be a score, in a line with the numbers 32 and 28.
    first, _, second = stated.canonical.partition(":")
    is_no_time = first.isdigit() and second.isdigit() and int(first) > _HOURS_A_DAY
    if is_no_time and found.kind is ValueKind.NUMBER and found.canonical == first:
        if str(int(second)) in [value.canonical for value in source.values_of(line)]:
            return _Agreement(source.lines[line].strip()[:_MOST_NOTE_CHARS])
    units = _UNITS_OF_PRINTED if source.is_printed else frozenset[str]()
    if found.kind is ValueKind.NUMBER and not found.unit:
        units = source.labels_of(line, found).units or units
    return _compare_durations(stated, found, units)


_MOST_NOTE_CHARS: Final = 60
_HOURS_A_DAY: Final = 24


# Numbers and years


def _compare_number(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> _Agreement | None:
    """Compare a stated number with a value that was found on a line."""
    if found.kind is ValueKind.NUMBER:
        if len(found.canonical) > MOST_DIGITS:
            return _EQUAL if _share_reading(stated, found) else None
        labels = source.labels_of(line, found)
        return _compare_amounts(stated, found, labels, is_printed=source.is_printed)
    if found.kind is ValueKind.TIME:
        return _compare_durations(stated, found)
    if found.kind is ValueKind.ID and _is_version(stated, found):
        return _EQUAL
    if _is_long_number(stated, found):
        return _Agreement(found.text)
    # The year 2026 is in `2026-03-12` and in `INV-2026-7`.
    year = stated.canonical
    parts: list[str] = []
    if found.kind is ValueKind.ID:
        parts = found.canonical.replace("/", "-").replace(".", "-").split("-")
    is_in_date = found.kind in (
        ValueKind.DATE,
        ValueKind.MONTH,
    ) and found.canonical.startswith(year)
    if _is_year(stated) and (is_in_date or year in parts):
        return _EQUAL
    return None


def _is_version(stated: WrittenValue, found: WrittenValue) -> bool:
    """Return True if a number and an id are the same version: 1.20 in `Version 1.20`, not 1.2."""
    number, version = stated, found
    if stated.kind is ValueKind.ID:
        number, version = found, stated
    return "." in number.text and number.text == version.canonical


_LEAST_DIGITS_OF_ID: Final = 9
"""Digits of an id that is recognized without its marks: `9780711260011` of a book's number."""


def _is_long_number(stated: WrittenValue, found: WrittenValue) -> bool:
    """Return True for one long id of digits, with and without its marks: `978-0-7112-6001-1`."""
    digits = stated.canonical.replace("-", "").replace(" ", "")
    other_digits = found.canonical.replace("-", "").replace(" ", "")
    return digits == other_digits and len(digits) >= _LEAST_DIGITS_OF_ID


def _is_year(value: WrittenValue) -> bool:
    """Return True if a number may be a year: four digits without a unit, from 1900 to 2099."""
    if not value.text.isdecimal() or value.unit or len(value.canonical) != _YEAR_DIGITS:
        return False
    return int(value.canonical) in _YEARS


# Ids


def _compare_ids(stated: WrittenValue, found: WrittenValue) -> _Agreement | None:
    """Accept an equal id, or one that has it as a part: FA-19 in `orders/FA-19#3`."""
    if found.kind is ValueKind.NUMBER and _is_version(stated, found):
        return _EQUAL
    if found.kind is ValueKind.NUMBER and _is_long_number(stated, found):
        return _Agreement(found.text)
    if found.kind is not ValueKind.ID:
        return None
    whole = found.canonical
    parts = whole.replace(":", "/").replace("#", "/").replace("=", "/").split("/")
    is_equal = stated.canonical in (whole, *parts)
    return _EQUAL if is_equal else None


# Says which digits a line must contain if it states a number in any form.
#
# A search reads only lines with these digits, since to read a line is slow.
#
# number      searched for   because a line may state it as
# 3.5         `35`           `3.5`, `3.50`, `3500` (in thousands)
#             `312`          `3 1/2`, without its blank and slash
#             `34`           `3.49`, which is rounded to 3.5
# 90 min      `15`           `1.5 h`

_FRACTION_DIGITS_BY_DECIMALS: Final = {"5": "12", "25": "14", "75": "34"}
"""The digits of the fractions that may stand for decimals: `12` of 1/2, which is 0.5."""


def _digits_of_number(value: WrittenValue) -> Iterator[str]:
    """Yield the digits to search for: one string for each form in which a line may state a number.

    The forms are those that `_compare_values` accepts as the same number.
    """
    # 1. As it is, or in thousands: 3.5 and 3500 both give `35`.
    yield _significant_digits(value.canonical)
    if value.other_canonical:  # the second reading of an ambiguous number
        yield _significant_digits(value.other_canonical)
    amount = amount_of(value)
    if amount is None:  # too many digits to calculate with
        return

    # 2. With a fraction: 3.5 as `3 1/2`, which is searched for as `312`.
    whole, _, decimals = value.canonical.partition(".")
    if decimals in _FRACTION_DIGITS_BY_DECIMALS:
        yield whole.lstrip("-") + _FRACTION_DIGITS_BY_DECIMALS[decimals]

    # 3. As a duration with colons, or of several parts.
    for seconds in _durations_of(value, frozenset()):
        yield from _digits_of_clock(seconds)

    # 4. In another unit, `90 min` as `1.5 h`; and before rounding, in this unit or another one.
    last_digit = Fraction(10) ** -value.decimals
    may_be_rounded = abs(amount) >= _LEAST_ROUNDED * last_digit
    factors = [Fraction(1)]
    for unit in _convertible_units(value.unit):
        # `size`: how many base units one unit has, such as 60 seconds.
        factors.append(UNIT_BY_NAME[value.unit].size / unit.size)
    for factor in dict.fromkeys(factors):
        converted = fraction_text(amount * factor)
        # A third of an hour is `1/3`, because no decimals write it exactly.
        if "/" not in converted and len(converted) < MOST_DIGITS:
            yield _significant_digits(converted)
        if not may_be_rounded:
            continue
        low = (abs(amount) - last_digit / 2) * factor
        high = (abs(amount) + last_digit / 2) * factor
        for start in _starts_between(low, high):
            # A number that rounds to 6.0 begins with `60` or `59`, but one that is converted may
            # be round itself.
            yield start if factor == 1 else start.strip("0") or "0"


_MOST_STARTS: Final = 5
"""At most so many beginnings of digits are searched for a rounded number."""


def _starts_between(low: Fraction, high: Fraction) -> list[str]:
    """Return the first digits of all numbers in a range, as many as `_MOST_STARTS` allow.

    The numbers that round to 6.5 begin with `64` or `65`. 13.11 miles are 21.09 to 21.11 km, and so
    begin with `2109` or `2110`.
    """
    whole_digits = len(str(int(high))) if high >= 1 else 0
    for digits in range(6, 1, -1):
        scale = Fraction(10) ** (digits - whole_digits)
        first = int(low * scale)
        last = int(high * scale)
        if last - first < _MOST_STARTS:
            return [str(start) for start in range(first, last + 1)]
    return []


def _digits_of_clock(seconds: Fraction) -> Iterator[str]:
    """Yield the digits by which lines may state a duration: `610` for `6:10` of 370 minutes."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes_of_hour = divmod(minutes, 60)
    if rest:
        yield f"{minutes}{rest:02d}"  # `3:25`
        yield f"{hours}{minutes_of_hour:02d}{rest:02d}"  # `1:12:07`
        yield str(rest)  # `3 min 25 s`
        return
    yield f"{hours}{minutes_of_hour:02d}"  # `6:10`
    yield f"{minutes}00"  # `370:00`
    yield str(minutes_of_hour or hours)  # `6 h 10 min`


@cache
def _convertible_units(unit: str) -> list[Unit]:
    """Return the units into which an amount can be converted: all masses for `kg`."""
    if unit not in UNIT_BY_NAME:
        return []
    quantity = UNIT_BY_NAME[unit].quantity
    return [
        candidate
        for candidate in UNIT_BY_NAME.values()
        if candidate.quantity == quantity
    ]


def _significant_digits(canonical: str) -> str:
    """Return the digits of an amount without zeros at its ends.

    `1250.5` -> `12505`, `0.50` -> `5`; of the fraction `1/3`, only its numerator: `1`.
    """
    numerator = canonical.partition("/")[0]
    digits = numerator.replace(".", "").replace("-", "")
    return digits.strip("0") or "0"


# Says which digits a line must contain if it states a value.
#
# To find the lines that state a value, all lines are first searched for a few digits in a
# row, which is quick. Only the lines found are then read and compared with the value. So the
# digits may be in too many lines, but never in too few.
#
#     value           searched for   because a line may state it as
#     1,250.00 kg     `125`          `1 250 kg`, `1.25 t`
#     12 March 2026   `12`           `12.3.`, `Mar 12`
#     17:00           `17`, `5`      `17 h`, `5 pm`

_SEARCHED_TELEPHONE_DIGITS: Final = 4


@lru_cache(maxsize=64)  # because one value is searched for in many sources
def _search_digits(value: WrittenValue) -> tuple[str, ...]:
    """Return strings of which a line must contain at least one to state a value.

    A line that contains one may still state another value. Blanks and marks do not
    count: `1,250.00 kg` gives `125`, which is in `1 250 kg` and in `1.25 t`.
    """
    # `canonical` is the form that all spellings of a value share: `1250`, `2026-03-12`.
    match value.kind:
        case ValueKind.NUMBER:
            return tuple(dict.fromkeys(_digits_of_number(value)))
        case ValueKind.DATE:
            # Only the day: a line may leave out the year, and write the month as a word.
            _month, day = day_of_date(value).split("-")
            return (str(int(day)),)
        case ValueKind.MONTH:
            # Only the last two digits of the year: a line may have `12.03.26` or `March 2026`.
            year, _month = value.canonical.split("-")
            return (year[-2:],)
        case ValueKind.TIME:
            return tuple(dict.fromkeys(_search_digits_of_time(value)))
        case ValueKind.URL | ValueKind.MAIL:
            # As it is written, or only the last part of the path, or the part before the `@`:
            # scheme and host may be spelled in several ways.
            part = value.canonical.partition("@")[0].rpartition("/")[2]
            return (search_key(value.text), search_key(part))
        case ValueKind.TELEPHONE:
            # Only the end: the code of the country may be missing, and `(0)` may be inserted.
            return (value.canonical[-_SEARCHED_TELEPHONE_DIGITS:],)
    return (search_key(value.canonical),)


def _search_digits_of_time(value: WrittenValue) -> Iterator[str]:
    """Yield the minutes of a time, or a full hour: `17:10` -> `10`, `17:00` -> `17` and `5`.

    A full hour may be written without minutes: `17 h`, `5 pm`. If the time has a zone, the
    text may state it with the hour of another zone, so the minutes are searched for.
    """
    hour, minute = value.canonical.split(":")[:2]
    has_zone = value.unit != ""
    # As a duration: `2:40` may stand as 160 min, 9600 s, or 2.67 h.
    for seconds in _durations_of(value, frozenset()):
        for size in (1, 60, 3600):
            yield _significant_digits(str(int(seconds / size)))
    if minute != "00" or has_zone:
        yield str(int(minute))  # `5時5分`
        return
    yield str(int(hour))
    hour_of_twelve = int(hour) % 12 or 12  # 0 and 12 are both written as 12
    if hour_of_twelve != int(hour):
        yield str(hour_of_twelve)


_MAX_MATCHES: Final = 20
"""A search returns at most this many lines. They are enough to choose one by its other words."""


@dataclass(frozen=True, slots=True)
class Match:
    """A line of a source that states a value."""

    source: Source
    line: int
    """The index of the line in the source's text, from 0."""
    agreement: _Agreement = _EQUAL
    """How the value that was searched for agrees with the one on the line: equal or rounded."""
    value: WrittenValue | None = None
    """The value on the line; None for a quotation."""

    @property
    def place(self) -> Place:
        """The path of the source, and the number of the line in this file."""
        return self.source.place(self.line)


def is_stated(value: WrittenValue, sources: Iterable[Source]) -> bool:
    """Return True if a line of any of the sources states a value."""
    return bool(find_matches(value, sources))


def find_matches(value: WrittenValue, sources: Iterable[Source]) -> list[Match]:
    """Return the first lines of the sources that state a value, until their budget is spent.

    Lines with the value itself are returned, at most `_MAX_MATCHES`. If there are none, those
    with a more exact value are: for 6.5, a line with 6.545.
    """
    equal: list[Match] = []
    rounded: list[Match] = []
    for source in sources:
        for match in _matches_in(source, value):
            if match.agreement.is_rounded:
                rounded.append(match)
            else:
                equal.append(match)
            if len(equal) >= _MAX_MATCHES:
                return equal
    if equal:
        return equal
    return rounded[:_MAX_MATCHES]


def _matches_in(source: Source, value: WrittenValue) -> Iterator[Match]:
    """Yield the lines of one source that state a value, until the budget is spent.

    Only lines with its digits are read, to compare their values with it. A quotation has no
    digits, so its words are looked up.
    """
    if value.kind is ValueKind.QUOTATION:
        quotation_line = _line_of_quotation(source, value)
        if quotation_line is not None:
            yield Match(source, quotation_line)
        return
    for line in _candidate_lines(source, value):
        if not source.spend(line):
            return
        for found in source.values_of(line):
            agreement = _compare_values(value, found, source, line)
            if agreement is not None:  # the value on the line supports the searched one
                yield Match(source, line, agreement, found)
                break
    if value.kind is ValueKind.NUMBER:
        yield from _lines_in_words(source, value)


@lru_cache(maxsize=64)  # because one value is searched for in many sources
def _amounts_in_words(value: WrittenValue) -> tuple[tuple[str, str], ...]:
    """Return a small amount in words, and its unit, in units of its quantity.

    `14 days` -> `fourteen`, `days` and `two`, `weeks`.
    """
    amount = amount_of(value)
    if not value.unit or amount is None:
        return ()
    numbers = {value.unit: value.canonical}
    for unit in _convertible_units(value.unit):
        numbers[unit.name] = str(amount * UNIT_BY_NAME[value.unit].size / unit.size)
    amounts: list[tuple[str, str]] = []
    for unit_name, number in numbers.items():
        for word in NUMBER_WORDS.get(number, "").split():
            amounts.append((word, unit_name))
    return tuple(amounts)


def _lines_in_words(source: Source, value: WrittenValue) -> Iterator[Match]:
    """Yield the lines that state a small number in words, before a unit of the same quantity.

    `three weeks` supports `3 weeks` and `21 days`.
    """
    for word, unit_name in _amounts_in_words(value):
        for line in islice(source.lines_with(search_key(word)), _MOST_LINES_OF_WORD):
            text = source.lines[line].casefold()
            start = text.find(f"{word} ")
            if start < 0 or text[:start][-1:].isalnum():
                continue
            behind = source.lines[line][start + len(word) :][:_MOST_UNIT_CHARS]
            if measure_behind(behind).unit == unit_name:
                yield Match(source, line, _Agreement(f"{word} {behind.split()[0]}"))


_MOST_LINES_OF_WORD: Final = 100
"""Lines with the letters of one word that are looked at: `ten` is in many."""
_MOST_UNIT_CHARS: Final = 40


def _candidate_lines(source: Source, value: WrittenValue) -> Iterator[int]:
    """Yield the lines that may state a value, each once. They are still to be compared.

    For `1,250.00 kg`, these are the lines with the digits `125`, as in `1 250 kg`.
    """
    lines: dict[int, None] = {}
    for digits in _search_digits(value):
        for line in source.lines_with(digits):
            if line not in lines:
                lines[line] = None
                yield line

    # A number may also have no digits, such as `三百`.
    if value.kind is ValueKind.NUMBER:
        yield from (line for line in source.lines_with_numerals if line not in lines)


def _line_of_quotation(source: Source, value: WrittenValue) -> int | None:
    """Return the line on which a quotation begins, or None if a part of it is missing.

    The parts are those around an ellipsis: `the price … is fixed` has two. Code in back
    quotes must also occur exactly as it is.
    """
    is_code = value.unit == UNIT_OF_CODE  # the text stood between back quotes
    if is_code and value.text not in source.text:
        return None
    first_line: int | None = None
    for part in value.text.replace("...", "…").split("…"):
        words = part.strip(" .,;:!?[]")
        if not words:
            continue
        line = source.line_of_quotation(words)
        if line is None:
            return None
        if first_line is None:
            first_line = line
    return first_line


@dataclass(frozen=True, slots=True)
class BestMatch:
    """The line that is most likely the source of a value."""

    note: str
    """How the line states the value, if differently: `rounded from 6.545`. Else empty."""
    place: Place | None = None
    """None if it is unknown which of several lines is the source."""
    is_cited: bool = False
    """True if the place is known, and in a file that the answer cites."""
    is_sure: bool = False
    """True if the line is unlikely to state the same value by chance.

    It shares words with the text around the value; or no other line states the value, and the
    answer cites the file.
    """


def best_match(
    value: WrittenValue,
    sources: Iterable[Source],
    words: frozenset[str],
    cited: frozenset[str],
) -> BestMatch | None:
    """Return the line that is most likely the source of a value; None if no line states it.

    Of two lines with 300, `Fee: 300` is more likely the source of "The fee is 300". `words` are
    those around the value in the answer. The line with most of them wins. If several lines have as
    many, one of a file with a `cited` path wins, and then the first.
    """
    matches = find_matches(value, sources)
    if not matches:
        return None
    # The first match that shares most words, and among these one of a cited file
    ranks: list[tuple[int, bool]] = []
    for match in matches:
        heading = match.source.heading_of(match.line)
        text = f"{heading}\n{match.source.lines[match.line]}"
        # Of a text that is too long, only the end is read: the line rather than the heading.
        line_words = distinctive_words(text[-bounds.MOST_LINE_CHARS :])
        ranks.append((len(words & line_words), match.source.path in cited))
    best_rank = max(ranks)
    shared_words, is_cited = best_rank
    best = matches[ranks.index(best_rank)]
    note = best.agreement.note

    # Several lines state the value, and no word tells which of them is the source.
    if not shared_words and len({match.place for match in matches}) > 1:
        return BestMatch(note, place=None)
    return BestMatch(note, best.place, is_cited, is_sure=shared_words > 0 or is_cited)
