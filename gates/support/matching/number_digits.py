"""Says which digits a line must contain if it states a number in any form.

A search reads only lines with these digits, since to read a line is slow.

number      searched for   because a line may state it as
3.5         `35`           `3.5`, `3.50`, `3500` (in thousands)
            `312`          `3 1/2`, without its blank and slash
            `34`           `3.49`, which is rounded to 3.5
90 min      `15`           `1.5 h`
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from controlplane.gates.support.matching.rounding import LEAST_ROUNDED, amount_of
from controlplane.gates.values.numbers.amounts import MOST_DIGITS, fraction_text
from controlplane.gates.values.units import UNIT_BY_NAME, Unit
from controlplane.gates.values.value_kinds import WrittenValue

_FRACTION_DIGITS_BY_DECIMALS: Final = {"5": "12", "25": "14", "75": "34"}
"""The digits of the fractions that may stand for decimals: `12` of 1/2, which is 0.5."""


def digits_of_number(value: WrittenValue) -> Iterator[str]:
    """Yield the digits to search for: one string for each form in which a line may state a number.

    The forms are those that `compare_values` accepts as the same number.
    """
    # 1. As it is, or in thousands: 3.5 and 3500 both give `35`.
    yield significant_digits(value.canonical)
    if value.other_canonical:  # the second reading of an ambiguous number
        yield significant_digits(value.other_canonical)
    amount = amount_of(value)
    if amount is None:  # too many digits to calculate with
        return

    # 2. With a fraction: 3.5 as `3 1/2`, which is searched for as `312`.
    whole, _, decimals = value.canonical.partition(".")
    if decimals in _FRACTION_DIGITS_BY_DECIMALS:
        yield whole.lstrip("-") + _FRACTION_DIGITS_BY_DECIMALS[decimals]

    # 3. In another unit: `90 min` as `1.5 h`.
    for unit in convertible_units(value.unit):
        # `size`: how many base units one unit has, such as 60 seconds.
        converted = fraction_text(amount * UNIT_BY_NAME[value.unit].size / unit.size)
        # A third of an hour is `1/3`, because no decimals write it exactly.
        is_endless = "/" in converted
        if not is_endless and len(converted) < MOST_DIGITS:
            yield significant_digits(converted)

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
