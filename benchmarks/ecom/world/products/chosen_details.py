"""The details of a product line that a description names, and the variants that have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from itertools import product as all_pairs

from controlplane.benchmarks.ecom.world.products.line_words import Detail, LineWords
from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes


@dataclass(frozen=True, slots=True)
class ChosenDetails:
    """The details that a description names: `2-man tent, not the set with the floor sheet`."""

    wanted: tuple[Detail, ...]
    """In this example, the detail with the words `2-man _`."""
    excluded: Detail | None = None
    """In this example, the detail with the words `not the set with the floor sheet`."""

    def fitting(self, sold: VariantCodes) -> VariantCodes:
        """Return the sold variants that have all wanted details but not the excluded one."""
        fitting = sold
        for detail in self.wanted:
            fitting &= detail.codes
        if self.excluded is not None:
            fitting -= self.excluded.codes
        return fitting

    def has_needless_detail(self, sold: VariantCodes) -> bool:
        """Return True if the same variants would fit without one of the details."""
        with_one_less = []
        for detail in self.wanted:
            other_details = tuple(other for other in self.wanted if other is not detail)
            with_one_less.append(replace(self, wanted=other_details))
        if self.excluded is not None:
            with_one_less.append(replace(self, excluded=None))

        fitting = self.fitting(sold)
        return any(chosen.fitting(sold) == fitting for chosen in with_one_less)


def all_choices(words: LineWords, sold: VariantCodes) -> Iterator[ChosenDetails]:
    """Yield choices with wanted details only, and with one excluded detail as well.

    `sold` are the codes of the variants that the shop sells.
    """
    for wanted in _wanted_details(words):
        chosen = ChosenDetails(wanted)
        yield chosen
        for dimension in words.dimensions.values():
            # "Not the one for two" is unclear if nobody knows how many one of the fitting
            # variants sleeps. So a detail is excluded only if all of them are known.
            if dimension.is_known_for(chosen.fitting(sold)):
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
