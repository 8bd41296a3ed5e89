"""Product lines, such as the tent `Nordvane Skerry`, from which worlds choose their products.

A line has a few variants, each of which becomes a product. The examples are about the line
`TNT`, a tent, with the variants `2P` (for two persons), `2P-FOOT` (for two persons, with a
groundsheet) and `4P` (for four persons). `lines.json` lists all lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from controlplane.benchmarks.ecom.world.data import read_data

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


@cache
def twin_lines(number: int) -> tuple[Line, ...]:
    """Return one twin of every line: a line that differs only by its name, and slightly.

    Twins fill a large catalogue, and a request for `Skerry` must not get `Skerrholm`. The
    twins of a line are numbered from 1.
    """
    return tuple(_twin_of(line, number) for line in product_lines())


def _twin_of(line: Line, number: int) -> Line:
    """Return the line with another brand and a similar model name: `Skerry` -> `Skerrholm`."""
    pools = read_data("company.json")["twins"]
    brands = pools["brands"]
    endings = pools["endings"]
    # Choose a brand and an ending by a number that differs between most lines and twins.
    # Unlike `hash`, it is the same in each process.
    choice = sum(ord(letter) for letter in line.code) + number
    stem = line.model.split()[0]
    if len(stem) > 3:  # A shorter stem would no longer be similar.
        stem = stem[:-1]
    return replace(
        line,
        code=f"{line.code}~{number}",
        brand=brands[choice % len(brands)],
        model=stem + endings[choice % len(endings)],
    )


def original_code(line_code: str) -> str:
    """Return the code of a twin's original line: `TNT~2` -> `TNT`. Other codes stay the same."""
    return line_code.partition("~")[0]


def line_called(line_code: str) -> Line:
    """Return the line with a code: `TNT`, or `TNT~2` for a twin."""
    _, _, twin_number = line_code.partition("~")
    lines = twin_lines(int(twin_number)) if twin_number else product_lines()
    for line in lines:
        if line.code == line_code:
            return line
    raise KeyError(line_code)
