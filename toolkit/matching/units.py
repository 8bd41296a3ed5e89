"""Units of measure: which belong to one quantity, how they convert, and what people call the quantity."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, as a multiple of the first unit of its quantity."""

    quantity: str
    factor: Decimal


def _units(quantity: str, **factors: str) -> dict[str, Unit]:
    return {name: Unit(quantity, Decimal(factor)) for name, factor in factors.items()}


UNITS: Final[dict[str, Unit]] = {
    **_units("length", mm="1", cm="10", m="1000", km="1000000"),
    **_units("weight", mg="0.001", g="1", kg="1000", t="1000000"),
    **_units("volume", ml="1", cl="10", l="1000"),
    **_units("voltage", mv="0.001", v="1", kv="1000"),
    **_units("current", ma="0.001", a="1"),
    **_units("power", mw="0.001", w="1", kw="1000"),
    **_units("charge", mah="0.001", ah="1"),
    **_units("energy", wh="1", kwh="1000"),
    **_units("light", lm="1"),
    **_units("temperature", k="1"),
    **_units("torque", nm="1"),
    **_units("speed", rpm="1"),
    **_units("pressure", bar="1"),
    **_units("area", cm2="0.0001", m2="1"),
    **_units("pieces", pc="1"),
    **_units("time", s="1", min="60", h="3600"),
    **_units("storage", mb="0.001", gb="1", tb="1000"),
    **_units("frequency", hz="1", khz="1000"),
}

NAMES_OF_QUANTITIES: Final[dict[str, tuple[str, ...]]] = {
    "light": ("luminous flux",),
    "current": ("amperage",),
    "power": ("wattage",),
    "pieces": ("pieces", "piece count", "pack size"),
}
"""What a quantity is called beside the words of a field."""


def same_amount(left: Decimal, left_unit: str, right: Decimal, right_unit: str) -> bool:
    """Say whether two amounts are equal, converted if their units measure one quantity; no unit takes the other's."""
    if left_unit == right_unit or not left_unit or not right_unit:
        return left == right
    known = UNITS.get(left_unit), UNITS.get(right_unit)
    if known[0] is None or known[1] is None or known[0].quantity != known[1].quantity:
        return False
    return left * known[0].factor == right * known[1].factor
