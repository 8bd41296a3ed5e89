"""Finds the lines of sources that state a value.

To read the values of a line is slow, so only lines with the digits of the value are
read: for `1,250.00 kg`, those with `125` in them. A `LineBudget` limits the work, so that an
answer is judged within seconds even after a trial that read a lot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from controlplane.gates.support.matching.value_equality import (
    EQUAL,
    LEAST_ROUNDED,
    Agreement,
    amount_of,
    compare_values,
)
from controlplane.gates.support.sources import Place, Source
from controlplane.gates.values.addresses import UNIT_OF_CODE
from controlplane.gates.values.digits import MOST_DIGITS, fraction_text
from controlplane.gates.values.spans import ValueKind, WrittenValue, day_of_date
from controlplane.gates.values.units import UNIT_BY_NAME, Unit

# Limits how many lines of texts are compared with the values of an answer.
#
# A trial may have read a lot. With a limit, its answer is judged within seconds all the same.

MAX_LINES: Final = 30_000
"""The most lines of one kind of source (files, the question) that are compared for an answer.

Only lines whose values are known already count as one.
"""
COST_OF_READING: Final = 10
"""How many lines count for one that is read for the first time.

Reading tries dozens of patterns. Afterwards, the values of the line are cached.
"""


@dataclass(slots=True)
class LineBudget:
    """How many lines may still be compared. When nothing is left, no further values are found."""

    remaining: int = MAX_LINES
    """Lines that are left; one whose values are not known yet takes `COST_OF_READING` of them."""

    def spend(self, source: Source, line: int) -> bool:
        """Return True if a line may be compared, and take its cost from the budget.

        The last line may cost more than is left. Then `remaining` becomes negative.
        """
        if self.remaining <= 0:
            return False
        if source.values.are_read(line):
            self.remaining -= 1
        else:
            self.remaining -= COST_OF_READING
        return True


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

    The forms are those that `compare_values` accepts as the same number.
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

    # 3. In another unit: `90 min` as `1.5 h`.
    for unit in _convertible_units(value.unit):
        # `size`: how many base units one unit has, such as 60 seconds.
        converted = fraction_text(amount * UNIT_BY_NAME[value.unit].size / unit.size)
        # A third of an hour is `1/3`, because no decimals write it exactly.
        is_endless = "/" in converted
        if not is_endless and len(converted) < MOST_DIGITS:
            yield _significant_digits(converted)

    # 4. Before rounding: 6.5 as 6.54.
    yield from _digits_before_rounding(value, amount)


def _digits_before_rounding(stated: WrittenValue, amount: Fraction) -> Iterator[str]:
    """Yield the first digits of the numbers that round to a stated one: `65` and `64` for 6.5.

    6.54 is rounded down and begins with `65`; 6.45 is rounded up and begins with `64`.
    Zeros at the end are kept: a number that rounds to 6.0 begins with `60` or `59`.
    """
    without_point = abs(amount) * Fraction(10) ** stated.decimals  # 6.5 -> 65
    is_whole = without_point.denominator == 1  # not so for a third
    # Below `LEAST_ROUNDED`, which is 10, a number does not count as rounded.
    if is_whole and without_point >= LEAST_ROUNDED:
        yield str(int(without_point))  # 65 of 6.54
        yield str(int(without_point) - 1)  # 64 of 6.45


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
            return tuple(_search_digits_of_time(value))
        case ValueKind.URL:
            # Only the last part of the path: scheme and host may be spelled in several ways.
            last_part = value.canonical.rpartition("/")[2]
            return (_letters_and_digits(last_part),)
        case ValueKind.TELEPHONE:
            # Only the end: the code of the country may be missing, and `(0)` may be inserted.
            return (value.canonical[-_SEARCHED_TELEPHONE_DIGITS:],)
    return (_letters_and_digits(value.canonical),)


def _letters_and_digits(text: str) -> str:
    """Return the letters and digits of a text in lower case: `FA-19` -> `fa19`."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _search_digits_of_time(value: WrittenValue) -> Iterator[str]:
    """Yield the minutes of a time, or a full hour: `17:10` -> `10`, `17:00` -> `17` and `5`.

    A full hour may be written without minutes: `17 h`, `5 pm`. If the time has a zone, the
    text may state it with the hour of another zone, so the minutes are searched for.
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


_MAX_MATCHES: Final = 20
"""A search returns at most this many lines. They are enough to choose one by its other words."""


@dataclass(frozen=True, slots=True)
class Match:
    """A line of a source that states a value."""

    source: Source
    line: int
    """The index of the line in the source's text, from 0."""
    agreement: Agreement = EQUAL
    """How the value that was searched for agrees with the one on the line: equal or rounded."""
    value: WrittenValue | None = None
    """The value on the line; None for a quotation."""

    @property
    def place(self) -> Place:
        """The path of the source, and the number of the line in this file."""
        return self.source.place(self.line)


def is_stated(
    value: WrittenValue, sources: Iterable[Source], budget: LineBudget
) -> bool:
    """Return True if a line of any of the sources states a value."""
    return bool(find_matches(value, sources, budget))


def find_matches(
    value: WrittenValue, sources: Iterable[Source], budget: LineBudget
) -> list[Match]:
    """Return the first lines of the sources that state a value, until the budget is spent.

    Lines with the value itself are returned, at most `_MAX_MATCHES`. If there are none, those
    with a more exact value are: for 6.5, a line with 6.545.
    """
    equal: list[Match] = []
    rounded: list[Match] = []
    for source in sources:
        for match in _matches_in(source, value, budget):
            if match.agreement.is_rounded:
                rounded.append(match)
            else:
                equal.append(match)
            if len(equal) >= _MAX_MATCHES:
                return equal
    if equal:
        return equal
    return rounded[:_MAX_MATCHES]


def _matches_in(
    source: Source, value: WrittenValue, budget: LineBudget
) -> Iterator[Match]:
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
        if not budget.spend(source, line):
            return
        for found in source.values.of(line):
            agreement = compare_values(value, found, source, line)
            if agreement is not None:  # the value on the line supports the searched one
                yield Match(source, line, agreement, found)
                break


def _candidate_lines(source: Source, value: WrittenValue) -> Iterator[int]:
    """Yield the lines that may state a value, each once. They are still to be compared.

    For `1,250.00 kg`, these are the lines with the digits `125`, as in `1 250 kg`.
    """
    # 1. Lines with its digits.
    seen_lines: set[int] = set()
    for digits in _search_digits(value):
        for line in source.digits.lines_with(digits):
            if line not in seen_lines:
                seen_lines.add(line)
                yield line

    # 2. For a number, also lines with numbers that have no digits, such as `三百`.
    if value.kind is ValueKind.NUMBER:
        for line in source.lines_with_numerals:
            if line not in seen_lines:
                yield line


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
