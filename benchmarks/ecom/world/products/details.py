"""Customers' words for a product, and for its details: "Skerry tent", "for two".

The tent Skerry is a product line with three variants: `2P` for two persons, `2P-FOOT` for two
with a groundsheet, and `4P` for four. The detail "for two" fits the first two. Together with
a name it becomes the description "Skerry tent for two".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes


@dataclass(frozen=True, slots=True)
class Phrase:
    """A name, a detail or a whole description: `Skerry tent`, `3 seasons`, `2-man tent`."""

    text: str
    properties: frozenset[str] = frozenset()
    """The properties that the text mentions: `{"seasons"}`; often none.

    A property is a field of a product's record.
    """


@dataclass(frozen=True, slots=True)
class Detail:
    """A detail that some variants of a line have, such as room for two persons."""

    codes: VariantCodes
    """The codes of the variants that have it: `{"2P", "2P-FOOT"}`."""
    properties: frozenset[str]
    """The properties that it is about: `{"persons"}`."""
    words: tuple[str, ...]
    """Ways to express it: `_ for two`, `2-man _`. `_` stands for a name such as `tent`."""
    without: str
    """Words that exclude these variants: `not the one for two`."""


def is_subject_known(details: Iterable[Detail], variants: VariantCodes) -> bool:
    """Return True if each variant has one of the details, which are about the same subject.

    The subject "how many it sleeps" has the details "for two" and "for four". It is known for
    all three tents, so a tent for which "for two" is not true is certainly not for two.
    """
    known_variants: set[str] = set()
    for detail in details:
        known_variants |= detail.codes
    return variants <= known_variants
