"""Descriptions of products that end with one more detail, true or false.

For example, the shop sells the Skerry tent for two persons (the variant `2P`), for two
with a groundsheet (`2P-FOOT`), and for four (`4P`), all for 3 seasons. Descriptions of
`4P` with one more detail are

    family size Skerry tent and has 3 seasons       (true for all variants)
    family size Skerry tent and has groundsheet     (false: only `2P-FOOT` has it)
    family size Skerry tent and has 5 seasons       (false for all variants)

An added detail is about a property that the description does not mention, so that the
text does not contradict itself. The words for products and their details are in
`phrases.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from controlplane.benchmarks.ecom.world.products.details import (
    Detail,
    Dimension,
    Phrase,
)
from controlplane.benchmarks.ecom.world.products.line_descriptions import descriptions
from controlplane.benchmarks.ecom.world.products.line_words import words_of
from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes
from controlplane.benchmarks.ecom.world.products.twin_lines import line_called


@dataclass(frozen=True, slots=True)
class Contradictions:
    """Texts that describe some variants and add a detail which these do not have."""

    with_detail_of_others: list[str]
    """Other variants have the detail: `family size Skerry tent and has groundsheet`."""
    with_detail_of_none: list[str]
    """No variant of the line has it: `family size Skerry tent and has 5 seasons`."""


def confirmations(line_code: str, variants: VariantCodes) -> list[str]:
    """Return texts that describe some variants of a line and add a detail that is true for them.

    For the variant `{"4P"}` of the line `TNT`: `family size Skerry tent and has 3 seasons`.
    """
    words = words_of(line_code)
    # The details that every variant of the line has, then those that some have.
    additions = [detail.as_phrase() for detail in words.present]
    for dimension in words.dimensions.values():
        for detail in dimension.details:
            if detail.is_true_for(variants):
                additions += _additions_of(detail, dimension)
    return _with_additions(descriptions(line_code)[variants], additions)


def contradictions(line_code: str, variants: VariantCodes) -> Contradictions:
    """Return texts that describe some variants of a line and add a detail that is false for them.

    For the variant `{"4P"}` of the line `TNT`: `family size Skerry tent and has groundsheet`.
    """
    words = words_of(line_code)
    all_variants = line_called(line_code).variant_codes
    details_of_others: list[Phrase] = []
    for dimension in words.dimensions.values():
        # A dimension is a subject, such as the groundsheet, with its possible details. If
        # nothing is known about it for some variant, nobody can tell that a detail is false.
        if not dimension.is_known_for(all_variants):
            continue
        for detail in dimension.details:
            if detail.is_false_for(variants):
                details_of_others += _additions_of(detail, dimension)
    details_of_none = [detail.as_phrase() for detail in words.absent]

    phrases = descriptions(line_code)[variants]
    return Contradictions(
        with_detail_of_others=_with_additions(phrases, details_of_others),
        with_detail_of_none=_with_additions(phrases, details_of_none),
    )


def _additions_of(detail: Detail, dimension: Dimension) -> list[Phrase]:
    """Return the words for a detail after "and has": `_ with groundsheet` -> `groundsheet`.

    In `phrases.json`, `_` stands for the product. A detail in any other form, such as
    `bare _`, cannot follow "and has", so it is left out.
    """
    additions = []
    for words in detail.words:
        if words.startswith("_ with "):
            text = words.removeprefix("_ with ")
            additions.append(Phrase(text, frozenset(dimension.about.split())))
    return additions


def _with_additions(
    phrases: Iterable[Phrase], additions: Sequence[Phrase]
) -> list[str]:
    """Return each phrase with each addition about a property that the phrase does not mention."""
    texts = []
    for phrase in phrases:
        for addition in additions:
            if phrase.about.isdisjoint(addition.about):
                texts.append(f"{phrase.text} and has {addition.text}")
    return texts
