"""Descriptions of products that end with one more detail, true or false.

For example, the shop sells the Skerry tent for two persons (the variant `2P`), for two
with a groundsheet (`2P-FOOT`), and for four (`4P`), all for 3 seasons. Descriptions of
`4P` with one more detail are

    family size Skerry tent and has 3 seasons       (true for all variants)
    family size Skerry tent and has groundsheet     (false: only `2P-FOOT` has it)
    family size Skerry tent and has 5 seasons       (false for all variants)

An added detail is about a property that the description does not mention, so that the
text does not contradict itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from controlplane.benchmarks.ecom.world.products.line_descriptions import descriptions
from controlplane.benchmarks.ecom.world.products.line_words import (
    Detail,
    Dimension,
    Phrase,
    words_of,
)
from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes


@dataclass(frozen=True, slots=True)
class Contradictions:
    """Descriptions of some variants that add a detail which these do not have."""

    by_siblings: list[str]
    """Descriptions with a detail of other variants of the line."""
    by_none: list[str]
    """Descriptions with a detail that no variant of the line has."""


def confirmations(
    line_code: str, sold: VariantCodes, described: VariantCodes
) -> list[str]:
    """Return texts that describe some variants and add a detail that is true for them.

    `sold` are the codes of all variants of the line that the shop sells, and
    `described` those that the texts must fit.
    """
    words = words_of(line_code)
    additions = [detail.as_phrase() for detail in words.present]
    for dimension in words.dimensions.values():
        for detail in dimension.details:
            if detail.is_true_for(described):
                additions += _additions_of(detail, dimension)
    return _with_additions(descriptions(line_code, sold)[described], additions)


def contradictions(
    line_code: str, sold: VariantCodes, described: VariantCodes
) -> Contradictions:
    """Return texts that describe some variants and add a detail that is false for them.

    `sold` and `described` are as in `confirmations`.
    """
    words = words_of(line_code)
    of_siblings: list[Phrase] = []
    for dimension in words.dimensions.values():
        # The records of some variants may not say if they have such details, and then
        # nobody can tell that a detail is false.
        if not dimension.is_known_for(sold):
            continue
        for detail in dimension.details:
            if detail.is_false_for(described):
                of_siblings += _additions_of(detail, dimension)
    of_none = [detail.as_phrase() for detail in words.absent]

    phrases = descriptions(line_code, sold)[described]
    return Contradictions(
        by_siblings=_with_additions(phrases, of_siblings),
        by_none=_with_additions(phrases, of_none),
    )


def _additions_of(detail: Detail, dimension: Dimension) -> list[Phrase]:
    """Return the words for a detail after "and has": `_ with groundsheet` -> `groundsheet`."""
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
