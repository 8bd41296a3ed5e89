"""Under which words a request may name a field of a record."""

from __future__ import annotations

from typing import Final

from toolkit.matching.units import NAMES_OF_QUANTITIES, UNITS
from toolkit.text import normal_words

_LEAST_LETTERS: Final = 4
"""A shorter last word of a field names too many things."""
_ALIASES: Final = {"color": ("color family",), "colour": ("colour family", "color")}


def unit_of(key: str) -> str:
    """Return the unit with which a field's name ends, or an empty string."""
    words = normal_words(key).split()
    return words[-1] if len(words) > 1 and words[-1] in UNITS else ""


def property_labels(key: str) -> list[str]:
    """Return the labels of a field: its whole name, without its unit, its last word, other names; longest first."""
    whole = normal_words(key).split()
    unit = unit_of(key)
    bare = whole[:-1] if unit else whole
    found = {" ".join(whole), " ".join(bare)}
    if len(bare) > 1 and len(bare[-1]) >= _LEAST_LETTERS:
        found.add(bare[-1])
    found.update(_ALIASES.get(bare[-1], ()))
    if unit:
        found.update(NAMES_OF_QUANTITIES.get(UNITS[unit].quantity, ()))
    return sorted(found, key=lambda label: (-len(label), label))
