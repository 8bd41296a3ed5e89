"""Units of product properties, and whether two amounts in different units are the same.

A record has `weight_kg: 2.4`, and a request asks for 2400 g. Without units, a search would miss
the product that the customer means.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Final

from controlplane.gates.values.units import UNIT_BY_NAME, Unit

_COMMON_UNITS: Final = """
    mm cm m km mg g kg t ml cl l mV V kV mA A mW W kW Wh kWh K rpm bar cm2 m2 s min h MB GB TB Hz kHz
"""
"""Units in records and requests that `gates.values.locale_names` knows.

Names of units are compared in lower case, so `mW` and `MW` would be equal. Products have
`mW`, so only this one is listed.
"""
# A unit has a name, a quantity, and a size compared with other units of this quantity: 1 mAh is
# 1/1000 Ah.
_MORE_UNITS: Final = (
    Unit("mah", "charge", Fraction(1, 1000)),
    Unit("ah", "charge", Fraction(1)),
    Unit("lm", "light", Fraction(1)),
    Unit("nm", "torque", Fraction(1)),
    Unit("pc", "pieces", Fraction(1)),
)
"""Units that occur only in products."""


def _units_by_word() -> dict[str, Unit]:
    """Return the units by their names in lower case, as in `normal_words`."""
    units = {unit.name: unit for unit in _MORE_UNITS}
    for name in _COMMON_UNITS.split():
        units[name.casefold()] = UNIT_BY_NAME[name]
    return units


UNITS: Final = _units_by_word()

_UNIT_WORDS: Final = {
    "litre": "l",
    "liter": "l",
    "metre": "m",
    "meter": "m",
    "gram": "g",
    "kilogram": "kg",
    "watt": "w",
    "volt": "v",
}
"""Units that people write out and records abbreviate."""


def abbreviated_unit(word: str) -> str:
    """Return the abbreviation of a written-out unit, else the word itself: `litres` -> `l`."""
    return _UNIT_WORDS.get(word) or _UNIT_WORDS.get(word.removesuffix("s")) or word


def same_amount(left: Decimal, left_unit: str, right: Decimal, right_unit: str) -> bool:
    """Return True if two amounts are equal: 1.5 kg equals 1500 g, but 1.5 W does not equal 1.5 V.

    An amount without a unit (an empty text) has the unit of the other one.
    """
    if left_unit == right_unit or not left_unit or not right_unit:
        return left == right
    left_measure = UNITS.get(left_unit)
    right_measure = UNITS.get(right_unit)
    if left_measure is None or right_measure is None:
        return False
    if left_measure.quantity != right_measure.quantity:
        return False
    return Fraction(left) * left_measure.size == Fraction(right) * right_measure.size
