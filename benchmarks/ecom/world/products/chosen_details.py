"""The details that a description names, and the variants of a product line that it fits.

A tent is sold for two persons (the variant `2P`), for two with a groundsheet (`2P-FOOT`)
and for four (`4P`). The wanted detail "for two" fits the first two variants; together
with "not the set with the floor sheet", only `2P`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from itertools import product as all_pairs

from controlplane.benchmarks.ecom.world.products.details import Detail
from controlplane.benchmarks.ecom.world.products.line_words import LineWords
from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes


@dataclass(frozen=True, slots=True)
class ChosenDetails:
    """The details that a description names: `2-man tent, not the set with the floor sheet`."""

    wanted: tuple[Detail, ...]
    """In this example, the detail with the words `2-man _`."""
    excluded: Detail | None = None
    """In this example, the detail with the words `not the set with the floor sheet`."""

    def fitting(self, all_variants: VariantCodes) -> VariantCodes:
        """Return the variants of a line that have all wanted details but not the excluded one."""
        fitting = all_variants
        for detail in self.wanted:
            fitting &= detail.codes
        if self.excluded is not None:
            fitting -= self.excluded.codes
        return fitting

    def has_needless_detail(self, all_variants: VariantCodes) -> bool:
        """Return True if the same variants of a line would fit without one of the details."""
        with_one_less = []
        for detail in self.wanted:
            other_details = tuple(other for other in self.wanted if other is not detail)
            with_one_less.append(replace(self, wanted=other_details))
        if self.excluded is not None:
            with_one_less.append(replace(self, excluded=None))

        fitting = self.fitting(all_variants)
        return any(chosen.fitting(all_variants) == fitting for chosen in with_one_less)


def all_choices(
    words: LineWords, all_variants: VariantCodes
) -> Iterator[ChosenDetails]:
    """Yield the choices of wanted details for a line, each alone and with one excluded detail."""
    for wanted in _wanted_details(words):
        chosen = ChosenDetails(wanted)
        yield chosen
        for dimension in words.dimensions.values():
            # Whether "not the one for two" excludes a tent is clear only if it is known how
            # many persons it sleeps. This must be known for every tent that fits so far.
            if dimension.is_known_for(chosen.fitting(all_variants)):
                for detail in dimension.details:
                    yield ChosenDetails(wanted, detail)


def _wanted_details(words: LineWords) -> Iterator[tuple[Detail, ...]]:
    """Yield an empty tuple, each single detail, and each pair of details on different subjects."""
    yield ()
    dimensions = words.dimensions.values()
    for dimension in dimensions:
        for detail in dimension.details:
            yield (detail,)
    for first, second in combinations(dimensions, 2):
        yield from all_pairs(first.details, second.details)
