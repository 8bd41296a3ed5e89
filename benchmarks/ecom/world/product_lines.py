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


@cache
def product_lines() -> tuple[Line, ...]:
    """Return all product lines, in catalogue order."""
    return TypeAdapter(tuple[Line, ...]).validate_json((files(__package__) / "lines.json").read_bytes())
