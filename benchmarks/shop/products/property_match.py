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

    Both are in normal words (see `normal_words`). An actual number without a unit has the
    unit of its field: `180` in `disc_diameter_mm` is 180 mm.
    """
    # 1. They are equal as texts.
    if required and required == actual:
        return True

    # 2. They are equal without blanks: `ip 65` is `ip65`. Requests may have words for numbers,
    #    such as `two`. Records have digits.
    required_words = [str(NUMBER_WORDS.get(word, word)) for word in required.split()]
    with_digits = _THOUSANDS_BLANK.sub("", " ".join(required_words))
    if with_digits and with_digits.replace(" ", "") == actual.replace(" ", ""):
        return True

    # 3. Both say yes, or both say no: `without` is `false`.
    if with_digits in _TRUTH_WORDS and actual in _TRUTH_WORDS:
        return _TRUTH_WORDS[with_digits] is _TRUTH_WORDS[actual]

    # 4. They are equal amounts: `1500 g` is `1.5 kg`. A required number without a unit has
    #    that of the actual one.
    required_amount = _AMOUNT.fullmatch(with_digits)
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
