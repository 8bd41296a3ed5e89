"""Product lines, such as the tent `Nordvane Skerry`, from which worlds choose their products.

A line has a few variants, each of which becomes a product. The examples are about the line
`TNT`, a tent, with the variants `2P` (for two persons), `2P-FOOT` (for two persons, with a
groundsheet) and `4P` (for four persons). `lines.json` lists all lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

Value = str | int | bool
VariantCodes = frozenset[str]
"""Codes of some variants of a line: `{"2P", "4P"}`."""


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One variant of a line, which becomes a product."""

    code: str
    """For example, `2P-FOOT`."""
    tail: str
    """The end of its name, different for each variant: `two-person tent with footprint`."""
    cents: int
    """The usual price."""
    properties: Mapping[str, Value]
    """For example, `{"persons": 2}`."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A product line, such as the tent `Nordvane Skerry`, with its variants."""

    code: str
    """For example, `TNT`. The first line that imitates it (a twin) is `TNT~1`, the next `TNT~2`."""
    category: str
    kind: str
    """What its products are: `tents`."""
    brand: str
    model: str
    is_digital: bool
    shared: Mapping[str, Value]
    """The properties that all its variants share."""
    variants: tuple[Variant, ...]

    @property
    def variant_codes(self) -> VariantCodes:
        """The codes of all its variants: `{"2P", "2P-FOOT", "4P"}`."""
        return frozenset(variant.code for variant in self.variants)


@cache
def product_lines() -> tuple[Line, ...]:
    """Return all product lines, in catalogue order."""
    text = (files(__package__) / "lines.json").read_bytes()
    return TypeAdapter(tuple[Line, ...]).validate_json(text)
