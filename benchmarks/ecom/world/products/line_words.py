"""Customers' words for a product line and for the details of its variants, from `phrases.json`.

The words for the tent `TNT` (shortened), whose variants are `2P` for two persons,
`2P-FOOT` for two with a groundsheet, and `4P` for four:

    "names": [{"text": "{brand} dome tent"}],
    "shared_details": [{"text": "3 seasons", "properties": ["seasons"]}],
    "missing_details": [{"text": "room for six", "properties": ["persons"]}],
    "details_by_subject": {
        "how many it sleeps": [
            {"codes": ["2P", "2P-FOOT"], "properties": ["persons"], "words": ["2-man _"], ...},
            {"codes": ["4P"], "properties": ["persons"], "words": ["family size _"], ...}]}

They are put together to descriptions such as "2-man Nordvane dome tent".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from controlplane.benchmarks.ecom.world.products.details import Detail, Phrase
from controlplane.benchmarks.ecom.world.products.twin_lines import (
    line_called,
    original_code,
)


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words for one product line."""

    names: tuple[Phrase, ...]
    """Templates for the names of the line: `{brand} dome tent`."""
    shared_details: tuple[Phrase, ...]
    """Details that all variants have: `3 seasons`."""
    missing_details: tuple[Phrase, ...]
    """Details that no variant has: `room for six`."""
    details_by_subject: Mapping[str, tuple[Detail, ...]]
    """Details that some variants have, by the words for their subject: `how many it sleeps`.

    A variant has at most one detail of each subject.
    """


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
    names = []
    for template in words_of(line_code).names:
        text = template.text.format_map(replacements)
        names.append(Phrase(text, template.properties))
    return tuple(names)
