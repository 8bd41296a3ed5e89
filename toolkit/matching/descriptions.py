"""Takes a description of a product apart: kind, brand, line and what it must or must not have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolkit.matching.constraints import Constraint

_STOCK_PHRASE: Final = re.compile(
    r"\bthe (?P<kind>.+?) (?:from|by) (?P<brand>.+?) in the (?P<family>.+?) line\b"
    r"(?:,? (?:that|which|with) (?:has |have )?(?P<rest>.+))?",
    re.IGNORECASE | re.DOTALL,
)
_BETWEEN: Final = re.compile(r"\s*[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but|as well as)\s+", re.IGNORECASE)
_NEGATION: Final = re.compile(
    r"^(?:without|no|not|with no|excluding|except|minus|other than)\s+(?:an?\s+|the\s+)?", re.IGNORECASE
)
_FILLER: Final = re.compile(r"^(?:with|has|have|that has|in|a|an|the)\s+", re.IGNORECASE)
_HEADS: Final = frozenset(
    {"type", "kind", "size", "color", "colour", "family", "material", "finish", "voltage", "current", "power", "length"}
    | {"width", "height", "diameter", "weight", "capacity", "thickness", "class", "grade", "standard", "pack", "count"}
)
"""Nouns with which the name of a property ends."""


@dataclass(frozen=True, slots=True)
class Description:
    """A description, taken apart."""

    brand: str
    kind: str
    family: str
    constraints: tuple[Constraint, ...]


def split_description(text: str, parsed: Description) -> Description:
    """Return a parse, with line and constraints cut anew where the text follows the catalogue's own phrase."""
    found = _STOCK_PHRASE.search(text)
    if found is None:
        return parsed
    rest = found["rest"] or ""
    return Description(
        parsed.brand or found["brand"],
        parsed.kind or found["kind"],
        found["family"],
        tuple(split_constraints(rest)) if rest else parsed.constraints,
    )


def split_constraints(text: str) -> list[Constraint]:
    """Return the constraints of a list such as `voltage 18 V, without battery`."""
    return [_constraint(part) for part in _BETWEEN.split(text.strip().rstrip(".?!")) if part.strip()]


def _constraint(part: str) -> Constraint:
    said, negations = _NEGATION.subn("", part.strip())
    said = _FILLER.sub("", said)
    words = said.split()
    heads = [at for at, word in enumerate(words[:-1]) if word.casefold() in _HEADS]
    numbers = [at for at, word in enumerate(words) if word[0].isdigit() and at]
    end = (numbers[0] if numbers else None) or (heads[-1] + 1 if heads else 0)
    return Constraint(said, " ".join(words[:end]), " ".join(words[end:]) if end else "", bool(negations))
