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
from typing import NamedTuple

from pydantic import TypeAdapter

from controlplane.benchmarks.ecom.world.products.product_lines import (
    VariantCodes,
    line_called,
    original_code,
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A description of a variant, or a part of one: `2-man tent`, `groundsheet`."""

    text: str
    about: frozenset[str]
    """The names of the properties that it mentions."""


class Wording(NamedTuple):
    """A text of the file and the properties that it mentions: `["3 seasons", "seasons"]`."""

    text: str
    about: str = ""
    """The names of the properties, separated by spaces; often none."""

    def as_phrase(self) -> Phrase:
        """Return the text as a phrase, or as a part of one."""
        return Phrase(self.text, frozenset(self.about.split()))


@dataclass(frozen=True, slots=True)
class Detail:
    """A detail that some variants of a line have, such as room for two persons."""

    codes: VariantCodes
    """The codes of the variants that have it: `{"2P", "2P-FOOT"}`."""
    words: tuple[str, ...]
    """Ways to express the detail: `_ for two`, `2-man _`. `_` stands for a name such as `tent`."""
    without: str
    """Words that exclude these variants: `not the one for two`."""

    def is_true_for(self, variants: VariantCodes) -> bool:
        """Return True if all of these variants have the detail."""
        return variants <= self.codes

    def is_false_for(self, variants: VariantCodes) -> bool:
        """Return True if none of these variants has the detail."""
        return variants.isdisjoint(self.codes)


@dataclass(frozen=True, slots=True)
class Dimension:
    """The details about one subject, such as how many persons a tent sleeps.

    A variant has at most one of them.
    """

    about: str
    """The properties that the details mention, separated by spaces: `persons`, `width length`.

    A property is a field of a product's record.
    """
    details: tuple[Detail, ...]

    def is_known_for(self, variants: VariantCodes) -> bool:
        """Return True if each of these variants has one of the details."""
        known_variants: set[str] = set()
        for detail in self.details:
            known_variants |= detail.codes
        return variants <= known_variants

    def tells_apart(self, variants: VariantCodes) -> bool:
        """Return True if at least two of the details each fit some of these variants.

        "For two" and "for four" tell `2P` and `4P` apart: each fits one. They do not tell
        `2P` and `2P-FOOT` apart: "for two" fits both, "for four" neither.
        """
        fitting_groups = set()
        for detail in self.details:
            fitting = detail.codes & variants
            if fitting:
                fitting_groups.add(fitting)
        return len(fitting_groups) > 1


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


@cache
def _words_of_all_lines() -> Mapping[str, LineWords]:
    text = (files(__package__) / "phrases.json").read_bytes()
    return TypeAdapter(dict[str, LineWords]).validate_json(text)


def words_of(line_code: str) -> LineWords:
    """Return the words for a line.

    A twin, which is a similar line of another brand, has the words of its original.
    """
    return _words_of_all_lines()[original_code(line_code)]


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
