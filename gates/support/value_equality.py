"""Says whether a text states a value of an answer: equality within a kind, at the precision that
the answer states.

Nothing is guessed: no scale, zone, year or unit counts that neither the answer nor the text names.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from controlplane.gates.support.sources import Context, Source
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

LEAST_ROUNDED: Final = 10
"""The least number, in units of its last digit, that may be a rounded one: one digit fits almost
anything."""
_FUNCTION_WORDS: Final = BOILERPLATE.union(*(words.split() for words in FUNCTION_WORDS.values()))
"""Words behind a number that do not say what it counts."""
HEAD_LINES: Final = 12
"""First lines of a text, such as the head of a mail, whose year holds for dates without one."""
_YEARS: Final = range(1900, 2100)


def support_note(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> str | None:
    """Return how a value of a line supports one of an answer: empty if it is equal, else what
    stands there.

    None if it does not support it.
    """
    match stated.kind:
        case Kind.NUMBER:
            return _number_note(stated, found, source, line)
        case Kind.DATE:
            return _date_note(stated, found, source, line)
        case Kind.MONTH:
            is_in_month = found.kind in (Kind.DATE, Kind.MONTH)
            return "" if is_in_month and found.canonical[:7] == stated.canonical else None
        case Kind.TIME:
            return _time_note(stated, found, source)
        case Kind.ID:
            return "" if found.kind is Kind.ID and _is_same_id(stated, found) else None
    return "" if found.key == stated.key else None


def _is_same_id(stated: WrittenValue, found: WrittenValue) -> bool:
    """Say whether an id is another one, or a part of a path, an address or an assignment."""
    if stated.canonical == found.canonical:
        return True
    parts = found.canonical.replace(":", "/").replace("#", "/").replace("=", "/").split("/")
    return stated.canonical in parts


# Dates and times


def _date_note(stated: WrittenValue, found: WrittenValue, source: Source, line: int) -> str | None:
    if found.kind is not Kind.DATE:
        return None
    if _shares_reading(stated, found):
        return ""
    has_year = not stated.canonical.startswith("-")
    if not has_year:
        return "" if found.canonical[4:] == stated.canonical[1:] else None
    year = stated.canonical[:4]
    is_same_day = found.canonical.startswith("-") and found.canonical[1:] == stated.canonical[4:]
    if is_same_day and _names_year(source, line, year):
        return f"{found.text}, {year}"
    return None


def _names_year(source: Source, line: int, year: str) -> bool:
    """Say whether a year stands on the line of a date without a year, or in the head of its
    text."""
    labels = [source.lines[line], source.heading_of(line), *source.lines[:HEAD_LINES]]
    return any(year in label for label in labels)


def _time_note(stated: WrittenValue, found: WrittenValue, source: Source) -> str | None:
    if found.kind is not Kind.TIME:
        return None
    if stated.unit and found.unit and stated.unit != found.unit:
        if _minutes_in_utc(stated) == _minutes_in_utc(found):
            return found.text
        return None
    if stated.unit and not found.unit and not _names_zone(source, stated.unit):
        return None
    return "" if found.canonical.startswith(stated.canonical) else None


def _names_zone(source: Source, offset: str) -> bool:
    """Say whether a text names a zone of this offset anywhere."""
    words = set(source.text.replace("(", " ").replace(")", " ").replace(",", " ").split())
    return any(words.intersection({zone}) and ZONE_OFFSETS[zone] == offset for zone in ZONE_OFFSETS)


def _minutes_in_utc(time: WrittenValue) -> int:
    """Return the minutes since midnight in UTC of a time with a zone."""
    hours, minutes = time.canonical.split(":")[:2]
    zone_hours, zone_minutes = time.unit[1:].split(":")
    offset = 60 * int(zone_hours) + int(zone_minutes)
    if time.unit[0] == "-":
        offset = -offset
    return (60 * int(hours) + int(minutes) - offset) % (24 * 60)


# Numbers


def _number_note(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> str | None:
    if found.kind in (Kind.DATE, Kind.MONTH, Kind.ID):
        return "" if is_year(stated) and _has_year(found, stated.canonical) else None
    if found.kind is not Kind.NUMBER or not _has_one_reading(stated, found):
        return None
    context = source.context_of(line, found)
    unit = _unit_in_text(stated, found, context)
    if unit is None:
        return None
    if not unit or are_same_unit(unit, stated.unit):
        return _amount_note(stated, found, context)
    return _converted_note(stated, found, unit)


def is_year(value: WrittenValue) -> bool:
    """Say whether a number may be a year."""
    is_plain = value.text.isdecimal() and not value.unit and len(value.canonical) == 4
    return is_plain and int(value.canonical) in _YEARS


def _has_year(found: WrittenValue, year: str) -> bool:
    if found.kind is Kind.ID:
        return year in found.canonical.replace("/", "-").replace(".", "-").split("-")
    return found.canonical.startswith(year)


def _unit_in_text(stated: WrittenValue, found: WrittenValue, context: Context) -> str | None:
    """Return the unit that a number of a text has by itself or by its labels, empty if none is
    needed.

    None if it counts or measures something else than the stated value.
    """
    if not stated.unit:
        return ""
    if found.unit:
        return found.unit if _measure_the_same(found.unit, stated.unit) else None
    if any(are_same_unit(unit, stated.unit) for unit in context.units):
        return stated.unit
    alike = [unit for unit in context.units if _measure_the_same(unit, stated.unit)]
    if len(alike) == 1:
        return alike[0]
    counts_something = found.follower != "" and found.follower not in _FUNCTION_WORDS
    is_bare = not context.units and not counts_something and stated.unit != "%"
    return "" if is_bare else None


def are_same_unit(unit: str, other: str) -> bool:
    """Say whether two names mean one unit, or one is a name that the other shares, such as `kr`."""
    if unit == other:
        return True
    return other in SHARED_NAMES.get(unit, ()) or unit in SHARED_NAMES.get(other, ())


def _measure_the_same(unit: str, other: str) -> bool:
    if are_same_unit(unit, other):
        return True
    if unit not in UNIT_BY_NAME or other not in UNIT_BY_NAME:
        return False
    return UNIT_BY_NAME[unit].quantity == UNIT_BY_NAME[other].quantity


def _amount_note(stated: WrittenValue, found: WrittenValue, context: Context) -> str | None:
    """Compare two amounts in the same unit; the text's headings may say that its numbers are
    thousands."""
    if _shares_reading(stated, found):
        return ""
    for power in context.powers:
        if shifted(found.canonical, power) == stated.canonical:
            return ""
    exact = amount_of(found)
    if exact is not None and found.decimals > stated.decimals and is_rounded(stated, exact):
        return f"rounded from {found.text}"
    return None


def _converted_note(stated: WrittenValue, found: WrittenValue, unit: str) -> str | None:
    """Compare amounts in two units of one quantity, whose sizes are exact."""
    amount = amount_of(found)
    if amount is None or unit not in UNIT_BY_NAME or stated.unit not in UNIT_BY_NAME:
        return None
    converted = amount * UNIT_BY_NAME[unit].size / UNIT_BY_NAME[stated.unit].size
    if fraction_text(converted) == stated.canonical:
        return f"{found.text} {unit}"
    if is_rounded(stated, converted):
        return f"rounded from {found.text} {unit}"
    return None


def amount_of(value: WrittenValue) -> Fraction | None:
    """Return the exact amount of a number; None if it has too many digits to reckon with."""
    if len(value.canonical) > MOST_DIGITS:
        return None
    return Fraction(value.canonical)


def is_rounded(stated: WrittenValue, exact: Fraction) -> bool:
    """Say whether a stated number is an exact one, rounded to the stated decimals, either way at
    the half."""
    amount = amount_of(stated)
    if amount is None:
        return False
    last_digit = Fraction(10) ** -stated.decimals
    return abs(amount) >= LEAST_ROUNDED * last_digit and abs(amount - exact) <= last_digit / 2


def _has_one_reading(stated: WrittenValue, found: WrittenValue) -> bool:
    """Say whether it is clear what the number of a text means, or the answer leaves it as open."""
    return not found.other_canonical or bool(stated.other_canonical)


def _shares_reading(stated: WrittenValue, found: WrittenValue) -> bool:
    if found.other_canonical:
        return {found.canonical, found.other_canonical} == {
            stated.canonical,
            stated.other_canonical,
        }
    return found.canonical in (stated.canonical, stated.other_canonical)


# Where to look


def needles_of(value: WrittenValue) -> list[str]:
    """Return letters and digits of which a line has at least one if it states a value."""
    match value.kind:
        case Kind.NUMBER:
            return list(dict.fromkeys(_needles_of_number(value)))
        case Kind.DATE:
            return [str(int(value.canonical[-2:]))]
        case Kind.MONTH:
            return [value.canonical[2:4]]
        case Kind.TIME:
            return list(dict.fromkeys(_needles_of_time(value)))
        case Kind.URL:
            return [_squeezed(value.canonical.rpartition("/")[2])]
        case Kind.TELEPHONE:
            return [value.canonical[-4:]]
    return [_squeezed(value.canonical)]


def _squeezed(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _needles_of_number(value: WrittenValue) -> Iterator[str]:
    for canonical in (value.canonical, value.other_canonical):
        if canonical:
            yield significant_digits(canonical)
    amount = amount_of(value)
    if amount is None:
        return
    yield from _needles_of_fraction(value.canonical)
    for unit in units_like(value.unit):
        converted = fraction_text(amount * UNIT_BY_NAME[value.unit].size / unit.size)
        if "/" not in converted and len(converted) < MOST_DIGITS:
            yield significant_digits(converted)
    last_digits = abs(amount) * Fraction(10) ** value.decimals
    if last_digits >= LEAST_ROUNDED and last_digits.denominator == 1:
        yield str(last_digits.numerator)
        yield str(last_digits.numerator - 1)


def _needles_of_fraction(canonical: str) -> Iterator[str]:
    """Yield the digits of `3 1/2` for 3.5."""
    whole, _, rest = canonical.partition(".")
    for decimals, written in (("5", "12"), ("25", "14"), ("75", "34")):
        if rest == decimals:
            yield whole.lstrip("-") + written


def units_like(unit: str) -> list[Unit]:
    """Return the other units that measure the same, into which an amount may be converted."""
    if unit not in UNIT_BY_NAME:
        return []
    quantity = UNIT_BY_NAME[unit].quantity
    return [other for other in UNIT_BY_NAME.values() if other.quantity == quantity]


def significant_digits(canonical: str) -> str:
    """Return the digits of an amount without zeros at its ends, which all of its spellings have
    in a row."""
    digits = canonical.replace(".", "").replace("-", "").partition("/")[0]
    return digits.strip("0") or "0"


def _needles_of_time(value: WrittenValue) -> Iterator[str]:
    """Yield the minutes, or, for a full hour, the hour in both ways to count; with zones, any
    hour may do."""
    hour, minute = value.canonical.split(":")[:2]
    if minute != "00":
        yield minute
    elif value.unit:
        yield "00"
    else:
        yield str(int(hour))
        yield str(int(hour) % 12 or 12)
