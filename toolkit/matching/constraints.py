"""Which of a description's constraints a product fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolkit.matching.property_match import property_match
from toolkit.text import holds_words, normal_words


@dataclass(frozen=True, slots=True)
class Constraint:
    """One thing that a description says of a product."""

    text: str
    label: str = ""
    value: str = ""
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Variant:
    """A product as its record gives it."""

    name: str
    family: str
    properties: Mapping[str, str]


def failed_constraints(constraints: Sequence[Constraint], variant: Variant) -> list[str]:
    """Return the texts of the constraints that a product does not fulfil, in their order."""
    return [each.text for each in constraints if _holds(each, variant) is each.is_negated]


def _holds(constraint: Constraint, variant: Variant) -> bool:
    said = f"{constraint.label} {constraint.value}" if constraint.label else constraint.text
    known = [property_match(said, key, value) for key, value in variant.properties.items()]
    if any(known):
        return True
    if constraint.label:
        return _tail_holds(name_tail(variant.name, variant.family), normal_words(constraint.value))
    words = normal_words(constraint.value or constraint.text)
    if any(normal_words(value) == words for value in variant.properties.values()):
        return True
    return _tail_holds(normal_words(variant.name), words)


def _tail_holds(tail: str, words: str) -> bool:
    return holds_words(tail, words) or (bool(words) and set(words.split()) <= set(tail.split()))


def name_tail(name: str, family: str) -> str:
    """Return, in normal words, what follows the family at the beginning of a product's name; else nothing."""
    whole, start = normal_words(name), normal_words(family)
    return whole[len(start) :].strip() if start and f"{whole} ".startswith(f"{start} ") else ""
