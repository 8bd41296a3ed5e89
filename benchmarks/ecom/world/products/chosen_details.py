"""Choices of details that a customer may name, and the variants of a product line that fit.

A tent is sold for two persons (the variant `2P`), for two with a groundsheet (`2P-FOOT`)
and for four (`4P`). Some choices:

    | wanted details     | excluded detail | variants that fit |
    | ------------------ | --------------- | ----------------- |
    | for two            |                 | 2P, 2P-FOOT       |
    | for two, bare      |                 | 2P                |
    | for two            | bare            | 2P-FOOT           |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TypeAlias

from controlplane.benchmarks.ecom.world.products.details import (
    Detail,
    is_subject_known,
)
from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes

DetailsBySubject: TypeAlias = Mapping[str, Sequence[Detail]]
"""The details of a line: "for two" and "for four" for the subject "how many it sleeps"."""


@dataclass(frozen=True, slots=True)
class ChosenDetails:
    """The details that a description names: `2-man tent, not the set with the floor sheet`."""

    wanted: tuple[Detail, ...]
    """In this example, the detail with the words `2-man _`."""
    excluded: Detail | None
    """In this example, the detail with the words `not the set with the floor sheet`."""
    variants: VariantCodes
    """The variants that fit. They have all wanted details and not the excluded one: `{"2P"}`."""

    def properties(self) -> frozenset[str]:
        """Return the properties that the details are about: `{"persons", "kit"}`."""
        properties: set[str] = set()
        for detail in self.wanted:
            properties |= detail.properties
        if self.excluded is not None:
            properties |= self.excluded.properties
        return frozenset(properties)


def possible_choices(
    details: DetailsBySubject, all_variants: VariantCodes
) -> Iterator[ChosenDetails]:
    """Yield the choices that fit at least one variant of a line and name no needless detail."""
    for wanted in _wanted_details(details):
        for excluded in _excluded_details(details, wanted, all_variants):
            # The variants that meet each condition
            conditions = [detail.codes for detail in wanted]
            if excluded is not None:
                conditions.append(all_variants - excluded.codes)
            fitting = all_variants.intersection(*conditions)
            if fitting and not _has_needless(conditions, all_variants):
                yield ChosenDetails(wanted, excluded, fitting)


def _wanted_details(details: DetailsBySubject) -> Iterator[tuple[Detail, ...]]:
    """Yield an empty tuple, each single detail, and each pair of details on different subjects."""
    yield ()
    for details_of_subject in details.values():
        for detail in details_of_subject:
            yield (detail,)
    for first_details, second_details in combinations(details.values(), 2):
        yield from product(first_details, second_details)


def _excluded_details(
    details: DetailsBySubject, wanted: Sequence[Detail], all_variants: VariantCodes
) -> Iterator[Detail | None]:
    """Yield None, then each detail that a customer may exclude beside the wanted details."""
    yield None
    fitting = all_variants.intersection(*(detail.codes for detail in wanted))
    for details_of_subject in details.values():
        # "Not the one for two" excludes a tent only if it is known how many persons it sleeps.
        if is_subject_known(details_of_subject, fitting):
            yield from details_of_subject


def _has_needless(
    conditions: Sequence[VariantCodes], all_variants: VariantCodes
) -> bool:
    """Return True if the same variants would fit without one of the conditions.

    A condition is the set of variants that meet it. Nobody would name a needless one: if all
    tents for four are bare, "bare" is needless in "for four, bare".
    """
    fitting = all_variants.intersection(*conditions)
    for number in range(len(conditions)):
        other_conditions = [*conditions[:number], *conditions[number + 1 :]]
        if all_variants.intersection(*other_conditions) == fitting:
            return True
    return False
