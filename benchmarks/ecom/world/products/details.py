"""Details of product variants, such as "for two", in the words of customers.

A dimension is a subject with its possible details: how many persons a tent sleeps, with "for
two" and "family size". A detail has several wordings, and the codes of the variants that
have it. Together with a name of the product line they become descriptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes


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
