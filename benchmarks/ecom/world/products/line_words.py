"""Customers' words for a product line and for the details of its variants, from `phrases.json`.

The words for the tent `TNT` (shortened), whose variants are `2P` for two persons,
`2P-FOOT` for two with a groundsheet, and `4P` for four:

    "things": [["{brand} dome tent"], ["free-standing {brand} tent", "freestanding"]],
    "present": [["3 seasons", "seasons"]],
    "absent": [["room for six", "persons"]],
    "dimensions": {
        "how many it sleeps": {"about": "persons", "details": [
            {"codes": ["2P", "2P-FOOT"], "words": ["2-man _"], "without": "not the one for two"},
            {"codes": ["4P"], "words": ["family size _"], "without": "not the family size"}]}}

They are put together to descriptions such as "2-man Nordvane dome tent".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from controlplane.benchmarks.ecom.world.products.details import (
    Dimension,
    Phrase,
    Wording,
)
from controlplane.benchmarks.ecom.world.products.twin_lines import (
    line_called,
    original_code,
)


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words for one product line."""

    things: tuple[Wording, ...]
    """Customers' names for the line, without details of a variant: `{brand} dome tent`."""
    present: tuple[Wording, ...]
    """Details that all variants have: `3 seasons`."""
    absent: tuple[Wording, ...]
    """Details that no variant has: `room for six`."""
    dimensions: Mapping[str, Dimension]
    """Details that some variants have, by the words for their subject: `how many it sleeps`."""


def words_of(line_code: str) -> LineWords:
    """Return the words for a line.

    A twin, which is a similar line of another brand, has the words of its original.
    """
    return _words_of_all_lines()[original_code(line_code)]


@cache
def _words_of_all_lines() -> Mapping[str, LineWords]:
    """Return the words for each original line by its code, read from the file once."""
    text = (files(__package__) / "phrases.json").read_bytes()
    return TypeAdapter(dict[str, LineWords]).validate_json(text)


@cache
def line_names(line_code: str) -> tuple[Phrase, ...]:
    """Return the names that customers use for a line: `Nordvane dome tent`."""
    line = line_called(line_code)
    first_word_of_brand = line.brand.split()[0]
    replacements = {
        "brand": line.brand,
        "short": first_word_of_brand,
        "model": line.model,
        "lower_brand": line.brand.lower(),
        "lower_short": first_word_of_brand.lower(),
        "lower_model": line.model.lower(),
    }
    line_names = []
    for template in words_of(line_code).things:
        line_name = template._replace(text=template.text.format_map(replacements))
        line_names.append(line_name.as_phrase())
    return tuple(line_names)
