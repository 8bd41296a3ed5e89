"""Details that can be added to a description with "and has", so that it is true or false.

The tent Skerry is sold for two persons (the variant `2P`), for two with a groundsheet
(`2P-FOOT`) and for four (`4P`). Some details, and the variants for which they are true or false:

    | detail       | true for        | false for       |
    | ------------ | --------------- | --------------- |
    | 3 seasons    | 2P, 2P-FOOT, 4P |                 |
    | groundsheet  | 2P-FOOT         | 2P, 4P          |
    | room for six |                 | 2P, 2P-FOOT, 4P |

So no product fits "family size Skerry tent and has groundsheet".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from controlplane.benchmarks.ecom.world.products.details import (
    Detail,
    Phrase,
    is_subject_known,
)
from controlplane.benchmarks.ecom.world.products.line_words import words_of
from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes
from controlplane.benchmarks.ecom.world.products.twin_lines import line_called

NO_VARIANTS: VariantCodes = frozenset()


@dataclass(frozen=True, slots=True)
class AddedDetail:
    """A detail that can follow "and has": `groundsheet`."""

    phrase: Phrase
    true_for: VariantCodes
    """The codes of the variants that have it: `{"2P-FOOT"}`."""
    false_for: VariantCodes
    """The codes of those that certainly do not have it: `{"2P", "4P"}`."""


@cache
def added_details(line_code: str) -> Sequence[AddedDetail]:
    """Return the details that can be added to descriptions of a line."""
    words = words_of(line_code)
    all_variants = line_called(line_code).variant_codes
    added = []
    for phrase in words.shared_details:
        added.append(AddedDetail(phrase, all_variants, NO_VARIANTS))
    for details_of_subject in words.details_by_subject.values():
        is_known = is_subject_known(details_of_subject, all_variants)
        for detail in details_of_subject:
            # If nothing is known about the subject for some variant, nobody can tell that the
            # detail is false.
            false_for = all_variants - detail.codes if is_known else NO_VARIANTS
            for phrase in _phrases_after_has(detail):
                added.append(AddedDetail(phrase, detail.codes, false_for))
    for phrase in words.missing_details:
        added.append(AddedDetail(phrase, NO_VARIANTS, all_variants))
    return added


def _phrases_after_has(detail: Detail) -> list[Phrase]:
    """Return the words for a detail after "and has": `_ with groundsheet` -> `groundsheet`.

    `_` stands for the product. Other wordings, such as `bare _`, cannot follow "and has".
    """
    phrases = []
    for wording in detail.words:
        if wording.startswith("_ with "):
            text = wording.removeprefix("_ with ")
            phrases.append(Phrase(text, detail.properties))
    return phrases


def with_each_detail(
    descriptions: Iterable[Phrase], details: Sequence[AddedDetail]
) -> list[str]:
    """Return each description with each detail: `family size Skerry tent and has groundsheet`.

    A detail about a property that the description mentions is not added to it, so that the
    text does not contradict itself.
    """
    texts = []
    for description in descriptions:
        for detail in details:
            if description.properties.isdisjoint(detail.phrase.properties):
                texts.append(f"{description.text} and has {detail.phrase.text}")
    return texts
