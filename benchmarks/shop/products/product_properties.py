"""Decides if a product has a property that a request describes (a constraint).

A request says `disc diameter 18 cm`, and a record `"disc_diameter_mm": "180"`. The label "disc
diameter" names this field, and 18 cm are 180 mm, so the product has the property. All texts
are compared in one form, `normal_words`: in lower case, with blanks between words and units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Final

from controlplane.benchmarks.shop.requests.request_dates import NUMBER_WORDS
from controlplane.benchmarks.shop.texts.names import normal_words
from controlplane.gates.values.units import UNIT_BY_NAME, Unit

# Units of product properties, and whether two amounts in different units are the same.
#
# A record has `weight_kg: 2.4`, and a request asks for 2400 g. Without units, a search would miss
# the product that the customer means.

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


def _same_amount(
    left: Decimal, left_unit: str, right: Decimal, right_unit: str
) -> bool:
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


# The words by which people may call a field of a product, and the unit in its name.
#
# The field `output_lm` is called `luminous flux` or `output`, and its values are lumens. So "a
# lamp with a luminous flux of 800" asks for `output_lm` 800.

_QUANTITY_LABELS: Final[dict[str, tuple[str, ...]]] = {
    "light": ("luminous flux",),
    "current": ("amperage",),
    "power": ("wattage",),
    "pieces": ("pieces", "piece count", "pack size"),
}
"""Common names for a field whose unit has this quantity: `output_lm` is a luminous flux."""
_WORD_LABELS: Final = {"color": ("color family",), "colour": ("colour family", "color")}
"""More labels for fields whose name ends with this word: people write `color` for `colour`."""
_LEAST_LABEL_LETTERS: Final = 4
"""The fewest letters of a field's last word that make it a label by itself.

`diameter` is one for `disc_diameter`. Shorter words, such as `max` and `no`, end many
fields.
"""


def _unit_of(key: str) -> str:
    """Return the unit at the end of a field's name: `weight_kg` -> `kg`; empty if it has none."""
    words = normal_words(key).split()
    if len(words) > 1 and words[-1] in UNITS:
        return words[-1]
    return ""


def property_labels(key: str) -> list[str]:
    """Return the labels that people may use for a field, longest first.

    `disc_diameter_mm` -> `disc diameter mm`, `disc diameter`, `diameter`. Further
    labels come from the tables above: by the quantity of the unit, or by the last word.
    """
    words = normal_words(key).split()
    unit = _unit_of(key)
    words_without_unit = words[:-1] if unit else words
    last_word = words_without_unit[-1]
    labels = {" ".join(words), " ".join(words_without_unit)}
    if len(words_without_unit) > 1 and len(last_word) >= _LEAST_LABEL_LETTERS:
        labels.add(last_word)
    labels.update(_WORD_LABELS.get(last_word, ()))
    if unit:
        labels.update(_QUANTITY_LABELS.get(UNITS[unit].quantity, ()))
    return sorted(labels, key=lambda label: (-len(label), label))


# Compares one constraint of a request with one field of a product.
#
# A request asks for "a disc of 180 mm", and the record has `disc_diameter_mm: 180`. People write
# labels, numbers and units in other ways than records do, so both are compared in normal words,
# and amounts in the same unit: 1500 g is 1.5 kg.

_FILLERS: Final = ("rated ", "of ", "is ")
"""Words between a label and its value: `diameter of 180 mm`."""
_AMOUNT: Final = re.compile(r"(-?\d+(?:\.\d+)?)(?: ([a-z]+\d?))?")
"""A number with or without a unit: `180`, `2.4 kg`, `12 m2`."""
_THOUSANDS_BLANK: Final = re.compile(r"(?<=\d) (?=\d{3}\b)")
"""The blank in `3 000`, which also remains from `3,000`."""
_TRUTH_WORDS: Final = {
    "true": True,
    "yes": True,
    "": True,  # The constraint is only the label: `rechargeable`.
    "false": False,
    "no": False,
    "not": False,
    "without": False,
}


def property_match(constraint: str, key: str, value: str) -> bool | None:
    """Return True if a field has the value that a constraint requires, and False if it has not.

    The result is None if the constraint is about another field.

    >>> property_match("disc diameter 180 mm", "disc_diameter_mm", "180")
    True
    """
    required_value = _required_value(constraint, key)
    if required_value is None:
        return None
    return _is_same_value(required_value, normal_words(value), _unit_of(key))


def _required_value(constraint: str, key: str) -> str | None:
    """Return the value that a constraint requires of a field; None if it does not name the field.

    `disc diameter of 180 mm` and `180 mm disc diameter` -> `180 mm`
    """
    words = normal_words(constraint)
    for label in property_labels(key):
        # People leave out "rated", as in the field `rated_voltage_v`.
        for spelling in (label, label.removeprefix("rated ")):
            if f"{words} ".startswith(f"{spelling} "):
                required_value = words[len(spelling) :].strip()
                for filler in _FILLERS:
                    required_value = required_value.removeprefix(filler)
                return required_value
            if words.endswith(f" {spelling}"):
                return words.removesuffix(f" {spelling}").strip()
    return None


def _is_same_value(required: str, actual: str, field_unit: str) -> bool:
    """Return True if the value that a request requires equals the actual one in a record.

    | required | actual | equal, because |
    |---|---|---|
    | `ip 65` | `ip65` | blanks do not matter |
    | `two` | `2` | requests may have words for numbers |
    | `without` | `false` | both say no |
    | `1500 g` | `1.5 kg`, or `1.5` if `field_unit` is `kg` | they are the same amount |
    """
    if required and required == actual:
        return True

    required_words = [str(NUMBER_WORDS.get(word, word)) for word in required.split()]
    required = _THOUSANDS_BLANK.sub("", " ".join(required_words))
    if required and required.replace(" ", "") == actual.replace(" ", ""):
        return True

    if required in _TRUTH_WORDS and actual in _TRUTH_WORDS:
        return _TRUTH_WORDS[required] is _TRUTH_WORDS[actual]

    return _is_same_amount(required, actual, field_unit)


def _is_same_amount(required: str, actual: str, field_unit: str) -> bool:
    """Return True if two texts are the same amount: `1500 g` and `1.5 kg`.

    An actual number without a unit has the unit of its field, and a required one that of the
    actual one.
    """
    required_amount = _AMOUNT.fullmatch(required)
    actual_amount = _AMOUNT.fullmatch(actual)
    if required_amount is None or actual_amount is None:
        return False
    required_unit = required_amount[2] or ""
    actual_unit = actual_amount[2] or field_unit
    try:
        return _same_amount(
            Decimal(required_amount[1]),
            required_unit,
            Decimal(actual_amount[1]),
            actual_unit,
        )
    except InvalidOperation:
        return False


@dataclass(frozen=True, slots=True)
class Constraint:
    """One requirement on a product, such as `voltage 18 V` or, negated, `without battery`."""

    text: str
    """The requirement as written, without the negation."""
    label: str = ""
    """The name of the property: `voltage`; empty if the requirement does not give it."""
    value: str = ""
    """The value that the property must have: `18 V`."""
    is_negated: bool = False


def failed_constraints(
    constraints: Sequence[Constraint],
    name: str,
    brand: str,
    properties: Mapping[str, str],
) -> list[str]:
    """Return the texts of the constraints that a product does not satisfy, in order."""
    failed = []
    for constraint in constraints:
        has_property = _has_property(constraint, name, brand, properties)
        is_satisfied = not has_property if constraint.is_negated else has_property
        if not is_satisfied:
            failed.append(constraint.text)
    return failed


def _has_property(
    constraint: Constraint, name: str, brand: str, properties: Mapping[str, str]
) -> bool:
    """Return True if a product has the property that a constraint requires or excludes.

    | constraint | a product that has it |
    |---|---|
    | label `disc diameter`, value `18 cm` | field `disc_diameter_mm` is 180 |
    | label `size`, value `XL` | the name is "Lea tent XL" |
    | text `sand` | any field is `sand`, or the name is "Lea tarp sand" |
    """
    # 1. A field has the label and the value.
    wording = constraint.text
    if constraint.label:
        wording = f"{constraint.label} {constraint.value}"
    for key, value in properties.items():
        if property_match(wording, key, value):
            return True

    # 2. With a label, the value may also be in the product's name. It is looked for after the
    #    brand, because words of brands are no values.
    if constraint.label:
        return _name_has(name_tail(name, brand), normal_words(constraint.value))

    # 3. Without a label, it may be the value of any field, or in the whole name.
    words = normal_words(constraint.value or constraint.text)
    for value in properties.values():
        if normal_words(value) == words:
            return True
    return _name_has(normal_words(name), words)


def _name_has(name: str, words: str) -> bool:
    """Return True if a name contains all these words, in any order. Both are in normal words.

    A name never contains an empty text.
    """
    return bool(words) and set(words.split()) <= set(name.split())


def name_tail(name: str, brand: str) -> str:
    """Return the normal words of a product's name after its brand; empty if the brand is not first.

    `Osier & Oak Lea XL`, `Osier & Oak` -> `lea xl`
    """
    name_words = normal_words(name)
    brand_words = normal_words(brand)
    if brand_words and f"{name_words} ".startswith(f"{brand_words} "):
        return name_words[len(brand_words) :].strip()
    return ""
