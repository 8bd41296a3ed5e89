"""The product lines of Veerhaven, an invented shop for camping, cycling and paddling gear, read from `lines.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Final

from pydantic import TypeAdapter

Value = str | int | bool


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One article of a line, with its usual price in cents."""

    code: str
    tail: str
    cents: int
    properties: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A product line. What customers call it is in `phrases.json`."""

    code: str
    category: str
    kind: str
    brand: str
    model: str
    is_digital: bool
    shared: Mapping[str, Value]
    variants: tuple[Variant, ...]


TWIN_BRANDS: Final = (
    *("Aldermoor", "Brackwater", "Calderfoss", "Dunmarch", "Elverholt", "Fenwick Vale", "Garrowby", "Hestmark"),
    *("Ivarsund", "Jorvale", "Kestrelby", "Lunnholm", "Marsdal", "Norrbeck", "Ostravik", "Pellworth"),
    *("Quernby", "Ravnsund", "Solvangen", "Tarnholt", "Ulvaberg", "Vestermoor", "Wyndale", "Yarrowfell"),
)
TWIN_ENDINGS: Final = (
    *("ow", "and", "ik", "una", "elt", "by", "mere", "holm", "stad", "wyn", "ar", "ost"),
    *("imo", "ette", "ax", "en", "ulf", "ora", "ine", "is", "um", "etto", "ask", "yll"),
)


def twin_of(line: Line, number: int) -> Line:
    """Return a line of another brand that is nearly the same, and nearly has its name; twins of a line differ."""
    place = sum(map(ord, line.code))
    brand = TWIN_BRANDS[(place + number) % len(TWIN_BRANDS)]
    stem = line.model.split()[0]
    model = stem[: max(3, len(stem) - 1)] + TWIN_ENDINGS[(place + number) % len(TWIN_ENDINGS)]
    return replace(line, code=f"{line.code}~{number}", brand=brand, model=model)


@cache
def twin_lines(number: int) -> tuple[Line, ...]:
    """Return the twins of every line that have this number, from 1 on."""
    return tuple(twin_of(line, number) for line in product_lines())


@cache
def product_lines() -> tuple[Line, ...]:
    """Return all product lines, in catalogue order."""
    return TypeAdapter(tuple[Line, ...]).validate_json((files(__package__) / "lines.json").read_bytes())
