"""Descriptions of products that end with one more detail, true or false.

"family size Skerry tent and has 3 seasons"
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
    """Descriptions of a product that add a detail it does not have."""

    by_siblings: list[str]
    """Descriptions with a detail of other variants of the line."""
    by_none: list[str]
    """Descriptions with a detail that no variant of the line has."""


def confirmations(
    line_code: str, sold: VariantCodes, target: VariantCodes
) -> list[str]:
    """Return descriptions of the target with one more true detail that they did not mention.

    Example: `family size Skerry tent and has 3 seasons`
    """
    words = words_of(line_code)
    additions = [detail.as_phrase() for detail in words.present]
    for dimension in words.dimensions.values():
        for detail in dimension.details:
            if target <= detail.codes:
                additions += _additions_of(detail, dimension)
    return _with_additions(descriptions(line_code, sold)[target], additions)


def contradictions(
    line_code: str, sold: VariantCodes, target: VariantCodes
) -> Contradictions:
    """Return descriptions of the target with one more detail that is false for it.

    Example: `family size Skerry tent and has groundsheet` (a sibling has it), `... and
    has 5 seasons` (no variant has it). The added detail is about a property that the
    description does not mention, so that the text does not contradict itself.
    """
    words = words_of(line_code)
    phrases = descriptions(line_code, sold)[target]
    additions: list[Phrase] = []
    for dimension in words.dimensions.values():
        # The added detail might be true for a variant of which nothing is known.
        if not dimension.is_known_for(sold):
            continue
        for detail in dimension.details:
            is_false_for_target = not detail.codes & target
            if is_false_for_target:
                additions += _additions_of(detail, dimension)
    return Contradictions(
        by_siblings=_with_additions(phrases, additions),
        by_none=_with_additions(
            phrases, [detail.as_phrase() for detail in words.absent]
        ),
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
