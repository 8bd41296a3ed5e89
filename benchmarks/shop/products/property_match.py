"""Compares one constraint of a request with one field of a product.

A request asks for "a disc of 180 mm", and the record has `disc_diameter_mm: 180`. People write
labels, numbers and units in other ways than records do, so both are compared in normal words,
and amounts in the same unit: 1500 g is 1.5 kg.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Final

from controlplane.benchmarks.shop.products.product_units import same_amount
from controlplane.benchmarks.shop.products.property_labels import (
    property_labels,
    unit_of,
)
from controlplane.benchmarks.shop.requests.day_distances import NUMBER_WORDS
from controlplane.benchmarks.shop.texts.text import normal_words

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
    return _is_same_value(required_value, normal_words(value), unit_of(key))


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
        return same_amount(
            Decimal(required_amount[1]),
            required_unit,
            Decimal(actual_amount[1]),
            actual_unit,
        )
    except InvalidOperation:
        return False
