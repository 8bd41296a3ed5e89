"""Compares a value of an answer (the stated value) with a value in a text (the found value).

The found value supports the stated one if both are of the same kind and equal at the precision of
the answer: `6.5 kg` is supported by `6.545 kg` ("rounded from 6.545") and by `6500 g`, not by
`6.7 kg` or `6.5 h`. Nothing is guessed: a scale, zone, year or unit counts only if the answer or
the text names it.

`support_note` compares two values. `search_digits` helps to find the lines that are worth
comparing.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from controlplane.gates.values.value_kinds import Kind, WrittenValue

EQUAL: Final = ""
"""The note of a value that supports another one as it stands."""
LEAST_ROUNDED: Final = 10
"""The least number, in units of its last digit, that may be a rounded one: 12 and 1.0, not 2.
Almost any number rounds to one of a single digit."""
HEAD_LINES: Final = 12
"""First lines of a text, such as the head of a mail, whose year holds for dates without a year."""
_YEARS: Final = range(1900, 2100)
_MINUTES_A_DAY: Final = 24 * 60
_FUNCTION_WORDS: Final = BOILERPLATE.union(*(words.split() for words in FUNCTION_WORDS.values()))
"""Words that may follow a number without saying what it counts: `45 of`, unlike `45 seats`."""


def support_note(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> str | None:
    """Compare a value of an answer with one that was found on a line of a source.

    Returns None if the found value does not support the stated one, `EQUAL` if both are equal,
    and otherwise a note on the difference, such as `rounded from 6.545`.
    """
    match stated.kind:
        case Kind.NUMBER:
            return _number_note(stated, found, source, line)
        case Kind.DATE:
            return _date_note(stated, found, source, line)
        case Kind.MONTH:
            return _month_note(stated, found)
        case Kind.TIME:
            return _time_note(stated, found, source)
        case Kind.ID:
            return _id_note(stated, found)
    if found.key == stated.key:
        return EQUAL
    return None


# Ids


def _id_note(stated: WrittenValue, found: WrittenValue) -> str | None:
    """Accept an equal id, or a longer one that contains the id as a part: FA-19 in
    `orders/FA-19#3`."""
    if found.kind is not Kind.ID:
        return None
    parts = found.canonical.replace(":", "/").replace("#", "/").replace("=", "/").split("/")
    if stated.canonical == found.canonical or stated.canonical in parts:
        return EQUAL
    return None


# Dates and times


def _date_note(stated: WrittenValue, found: WrittenValue, source: Source, line: int) -> str | None:
    """Compare two dates, one of which may lack the year."""
    if found.kind is not Kind.DATE:
        return None
    if _share_reading(stated, found):
        return EQUAL
    is_same_day = stated.canonical[-5:] == found.canonical[-5:]  # `-03-12` ends `2026-03-12`
    if not is_same_day:
        return None
    stated_without_year = stated.canonical.startswith("-")
    if stated_without_year:
        return EQUAL
    found_without_year = found.canonical.startswith("-")
    year = stated.canonical[:4]
    if found_without_year and _names_year(source, line, year):
        return f"{found.text}, {year}"
    return None


def _names_year(source: Source, line: int, year: str) -> bool:
    """Return True if a year occurs on a line, in its heading, or in the first lines of its text."""
    if year in source.lines[line] or year in source.heading_of(line):
        return True
    return any(year in head_line for head_line in source.lines[:HEAD_LINES])


def _month_note(stated: WrittenValue, found: WrittenValue) -> str | None:
    """Accept the same month, and a day of it: 2026-03 is supported by `12 March 2026`."""
    if found.kind not in (Kind.MONTH, Kind.DATE):
        return None
    month_of_found = found.canonical[: len("2026-03")]
    if month_of_found == stated.canonical:
        return EQUAL
    return None


def _time_note(stated: WrittenValue, found: WrittenValue, source: Source) -> str | None:
    """Compare two times of day, which may be in different zones if both zones are named."""
    if found.kind is not Kind.TIME:
        return None
    stated_zone = stated.unit
    found_zone = found.unit
    if stated_zone and found_zone and stated_zone != found_zone:
        if _minutes_in_utc(stated) == _minutes_in_utc(found):
            return found.text
        return None
    if stated_zone and not found_zone and not _names_zone(source, stated_zone):
        return None
    if found.canonical.startswith(stated.canonical):  # 17:10 is supported by 17:10:05
        return EQUAL
    return None


def _names_zone(source: Source, offset: str) -> bool:
    """Return True if a text names a time zone with an offset such as `+01:00`, on any line."""
    words = source.text.replace("(", " ").replace(")", " ").replace(",", " ").split()
    return any(ZONE_OFFSETS.get(word) == offset for word in set(words))


def _minutes_in_utc(time: WrittenValue) -> int:
    """Return the minutes since midnight in UTC: `17:10` at `+02:00` -> 910."""
    hours, minutes = time.canonical.split(":")[:2]
    zone_hours, zone_minutes = time.unit[1:].split(":")
    offset = 60 * int(zone_hours) + int(zone_minutes)
    if time.unit[0] == "-":
        offset = -offset
    return (60 * int(hours) + int(minutes) - offset) % _MINUTES_A_DAY


# Numbers


def _number_note(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> str | None:
    """Compare a stated number with a value that was found on a line."""
    if found.kind is Kind.NUMBER:
        return _note_of_numbers(stated, found, source.labels_of(line, found))
    may_have_year = found.kind in (Kind.DATE, Kind.MONTH, Kind.ID)
    if may_have_year and is_year(stated) and _has_year(found, stated.canonical):
        return EQUAL
    return None


def _note_of_numbers(stated: WrittenValue, found: WrittenValue, labels: NumberLabels) -> str | None:
    """Compare two numbers, using the unit that the text gives for the found one."""
    has_one_reading = not stated.other_canonical
    if has_one_reading and found.other_canonical:  # `1199` in the answer, `1.199` in the text
        return None
    found_unit = _unit_of_found(stated, found, labels)
    if found_unit is None:
        return None
    if are_same_unit(found_unit, stated.unit):
        return _same_unit_note(stated, found, labels)
    return _converted_note(stated, found, found_unit)


def is_year(value: WrittenValue) -> bool:
    """Return True if a number may be a year: four digits without a unit, from 1900 to 2099."""
    is_plain = value.text.isdecimal() and not value.unit and len(value.canonical) == 4
    return is_plain and int(value.canonical) in _YEARS


def _has_year(found: WrittenValue, year: str) -> bool:
    """Return True if a date, month or id contains a year: 2026 in `2026-03-12`, `INV-2026-7`."""
    if found.kind is Kind.ID:
        parts = found.canonical.replace("/", "-").replace(".", "-").split("-")
        return year in parts
    return found.canonical.startswith(year)


def _unit_of_found(stated: WrittenValue, found: WrittenValue, labels: NumberLabels) -> str | None:
    """Return the unit in which a found number is compared with the stated one.

    The unit beside the number decides; without one, the labels do. Returns None if the found number
    measures something else, or the labels name several fitting units.
    """
    if not stated.unit:  # `1250` in the answer states `1,250 EUR` and `1,250 kg`
        return stated.unit
    if _may_measure_anything(stated, found, labels):
        return stated.unit
    if found.unit:
        if _measure_the_same(found.unit, stated.unit):
            return found.unit
        return None
    for unit in labels.units:
        if are_same_unit(unit, stated.unit):
            return stated.unit
    fitting_units = [unit for unit in labels.units if _measure_the_same(unit, stated.unit)]
    if len(fitting_units) == 1:
        return fitting_units[0]
    return None


def _may_measure_anything(stated: WrittenValue, found: WrittenValue, labels: NumberLabels) -> bool:
    """Return True if the text does not say what a found number measures or counts.

    Such a number supports any amount of the same size, except a percentage: a bare `12` is
    rarely `12 %`.
    """
    counts_something = found.follower != "" and found.follower not in _FUNCTION_WORDS  # `12 seats`
    if found.unit or labels.units or counts_something:
        return False
    return stated.unit != "%"


def are_same_unit(first: str, second: str) -> bool:
    """Return True if two units are equal, or if one is an ambiguous name of the other.

    `kr` may be SEK, NOK, DKK or ISK.
    """
    if first == second:
        return True
    return second in SHARED_NAMES.get(first, ()) or first in SHARED_NAMES.get(second, ())


def _measure_the_same(first: str, second: str) -> bool:
    """Return True if one unit can be converted into the other: `g` and `kg`, not `g` and `h`."""
    if are_same_unit(first, second):
        return True
    if first not in UNIT_BY_NAME or second not in UNIT_BY_NAME:
        return False
    return UNIT_BY_NAME[first].quantity == UNIT_BY_NAME[second].quantity


def _same_unit_note(stated: WrittenValue, found: WrittenValue, labels: NumberLabels) -> str | None:
    """Compare two amounts in the same unit; the result is as of `support_note`.

    A found number may be in thousands or hundredths by its labels: 12 under `in thousands` supports
    12,000.
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
        return f"rounded from {found.text}"
    return None


def _converted_note(stated: WrittenValue, found: WrittenValue, found_unit: str) -> str | None:
    """Compare amounts in two units of one quantity: `6.5 kg` and `6500 g`. The result is as of
    `support_note`."""
    amount = amount_of(found)
    if amount is None or found_unit not in UNIT_BY_NAME or stated.unit not in UNIT_BY_NAME:
        return None
    converted = amount * UNIT_BY_NAME[found_unit].size / UNIT_BY_NAME[stated.unit].size
    if fraction_text(converted) == stated.canonical:
        return f"{found.text} {found_unit}"
    if is_rounded(stated, converted):
        return f"rounded from {found.text} {found_unit}"
    return None


def amount_of(value: WrittenValue) -> Fraction | None:
    """Return the exact amount of a number, or None if it has too many digits to calculate with."""
    if len(value.canonical) > MOST_DIGITS:
        return None
    return Fraction(value.canonical)


def is_rounded(stated: WrittenValue, exact: Fraction) -> bool:
    """Return True if an exact amount, rounded to the decimals of a stated number, gives this
    number.

    A half may be rounded either way: 6.55 to 6.5 or 6.6.
    """
    amount = amount_of(stated)
    if amount is None:
        return False
    last_digit = Fraction(10) ** -stated.decimals
    is_long_enough = abs(amount) >= LEAST_ROUNDED * last_digit
    return is_long_enough and abs(amount - exact) <= last_digit / 2


def _share_reading(stated: WrittenValue, found: WrittenValue) -> bool:
    """Return True if two values can mean the same.

    `3 April 2026` in the text supports `03/04/2026` in the answer, because one of its readings is
    equal. If the found value has two readings, the stated value must have the same two.
    """
    stated_readings = {stated.canonical, stated.other_canonical}
    if found.other_canonical:
        return {found.canonical, found.other_canonical} == stated_readings
    return found.canonical in stated_readings


# Which lines to compare


@lru_cache(maxsize=64)
def search_digits(value: WrittenValue) -> tuple[str, ...]:
    """Return strings of letters and digits, of which every line that states the value contains one.
    They are cached, because one value is searched for in many sources.

    Blanks and marks are left out. `1,250.00 kg` gives `125`, because all spellings of the amount
    contain these digits in a row, even `1.25 t`.
    """
    match value.kind:
        case Kind.NUMBER:
            return tuple(dict.fromkeys(_search_digits_of_number(value)))
        case Kind.DATE:
            # The year may be missing, and the month may be written as a word.
            day = value.canonical[-len("12") :]
            return (str(int(day)),)
        case Kind.MONTH:
            # The month may be written as a word, and the year with two digits: `12.03.26`.
            year = value.canonical[: len("2026")]
            return (year[-2:],)
        case Kind.TIME:
            return tuple(_search_digits_of_time(value))
        case Kind.URL:
            # The scheme and host may be spelled in several ways.
            last_part = value.canonical.rpartition("/")[2]
            return (_letters_and_digits(last_part),)
        case Kind.TELEPHONE:
            # The code of the country may be missing, and `(0)` may be inserted.
            last_digits = value.canonical[-4:]
            return (last_digits,)
    return (_letters_and_digits(value.canonical),)


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _search_digits_of_number(value: WrittenValue) -> Iterator[str]:
    """Yield the digits of a number as written, as a fraction, in other units, and before
    rounding."""
    yield significant_digits(value.canonical)
    if value.other_canonical:
        yield significant_digits(value.other_canonical)
    amount = amount_of(value)
    if amount is None:
        return
    yield from _digits_with_fraction(value.canonical)
    for unit in convertible_units(value.unit):
        converted = fraction_text(amount * UNIT_BY_NAME[value.unit].size / unit.size)
        has_finite_decimals = "/" not in converted
        if has_finite_decimals and len(converted) < MOST_DIGITS:
            yield significant_digits(converted)
    yield from _digits_before_rounding(value, amount)


def _digits_before_rounding(stated: WrittenValue, amount: Fraction) -> Iterator[str]:
    """Yield the first digits of the numbers that round to a stated one.

    6.5 may be rounded from 6.54, which begins with 65, or from 6.45, which begins with 64.
    """
    units_of_last_digit = abs(amount) * Fraction(10) ** stated.decimals  # 6.5 is 65 tenths
    is_whole = units_of_last_digit.denominator == 1  # False for a third, which has no last digit
    if is_whole and units_of_last_digit >= LEAST_ROUNDED:
        digits = int(units_of_last_digit)
        yield str(digits)
        yield str(digits - 1)


def _digits_with_fraction(canonical: str) -> Iterator[str]:
    """Yield the digits of a number that may be written with a fraction: 3.5 as `3 1/2` -> `312`."""
    whole, _, decimals = canonical.partition(".")
    for fraction_decimals, fraction_digits in (("5", "12"), ("25", "14"), ("75", "34")):
        if decimals == fraction_decimals:
            yield whole.lstrip("-") + fraction_digits


def convertible_units(unit: str) -> list[Unit]:
    """Return the units into which an amount can be converted: all masses for `kg`."""
    if unit not in UNIT_BY_NAME:
        return []
    quantity = UNIT_BY_NAME[unit].quantity
    return [candidate for candidate in UNIT_BY_NAME.values() if candidate.quantity == quantity]


def significant_digits(canonical: str) -> str:
    """Return the digits of an amount without zeros at its ends: `1250.5` -> `12505`, `0.50` ->
    `5`."""
    digits = canonical.replace(".", "").replace("-", "").partition("/")[0]
    return digits.strip("0") or "0"


def _search_digits_of_time(value: WrittenValue) -> Iterator[str]:
    """Yield the minutes of a time, or, for a full hour, the hour: `17:00` -> `17`, `5`.

    With a zone, the same moment may be another hour elsewhere, so only the minutes are searched.
    """
    hour, minute = value.canonical.split(":")[:2]
    if minute != "00":
        yield minute
    elif value.unit:
        yield "00"
    else:
        yield str(int(hour))
        hour_of_twelve = int(hour) % 12 or 12
        if hour_of_twelve != int(hour):
            yield str(hour_of_twelve)
