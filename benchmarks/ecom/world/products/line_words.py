"""Customers' words for a product line and for the details of its variants, from `phrases.json`.

A name of the line and words for details are put together to a phrase that describes
variants: `tent`, `2-man _` and `not the set with the floor sheet` to "2-man tent, not the
set with the floor sheet".
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
    """A description of a variant, or a part of one, made from a `Wording` or a `Detail`."""

    text: str
    about: frozenset[str]
    """The names of the properties that it mentions."""


class Wording(NamedTuple):
    """A text and the properties that it mentions: `["3 seasons", "seasons"]`."""

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
    """The properties (record fields) that the details mention: `persons`, or `width length`."""
    details: tuple[Detail, ...]

    def is_known_for(self, variants: VariantCodes) -> bool:
        """Return True if each of these variants has one of the details."""
        known_variants = VariantCodes().union(
            *(detail.codes for detail in self.details)
        )
        return variants <= known_variants

    def tells_apart(self, variants: VariantCodes) -> bool:
        """Return True if two details belong to different ones of these variants.

        "For two" and "for four" tell `2P` and `4P` apart, but not `2P` and `2P-FOOT`.
        """
        groups = set()
        for detail in self.details:
            variants_with_detail = detail.codes & variants
            if variants_with_detail:
                groups.add(variants_with_detail)
        return len(groups) > 1


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
