"""The product lines of Veerhaven, an invented shop for camping, cycling and paddling gear, read from `lines.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

Value = str | int | bool


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One article of a line, with its usual price in cents. `asked` is a customer's phrase that fits it alone."""

    code: str
    tail: str
    cents: int
    properties: Mapping[str, Value]
    asked: str


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A product line. `vague` is a phrase that fits every variant in `vague_codes` and no other article."""

    code: str
    category: str
    kind: str
    brand: str
    model: str
    is_digital: bool
    shared: Mapping[str, Value]
    vague: str
    vague_codes: tuple[str, ...]
    variants: tuple[Variant, ...]


@cache
def product_lines() -> tuple[Line, ...]:
    """Return all product lines, in catalogue order."""
    return TypeAdapter(tuple[Line, ...]).validate_json((files(__package__) / "lines.json").read_bytes())
