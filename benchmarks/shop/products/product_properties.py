"""Decides if a product has a property that a request describes (a constraint).

A request says `disc diameter 18 cm`, and a record `"disc_diameter_mm": "180"`. The label "disc
diameter" names this field, and 18 cm are 180 mm, so the product has the property. All texts
are compared in one form, `normal_words`: in lower case, with blanks between words and units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.benchmarks.shop.products.property_match import property_match
from controlplane.benchmarks.shop.texts.text import normal_words


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
