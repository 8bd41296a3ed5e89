"""A family of tasks: requests of one kind, such as the checkout of a basket.

Its tasks are `basket-checkout.1`, `basket-checkout.2`, ... They differ in the world and in the
case, such as `possible` or `one line is short`. A quarter of a family's requests may be
barred: allowed to others, but not to this user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.bars import Bar
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.world import World

ONE_CASE: Final[Mapping[str, int]] = {"": 1}
"""The cases of a family whose tasks are all alike: one without a name, with the weight 1."""
BARRED: Final = "barred"
"""Stands in place of a case for a request that must be refused, whatever its case is."""


@dataclass(frozen=True, slots=True)
class Family:
    """A family of tasks: requests of one kind, in different worlds and cases."""

    name: str
    """The name in task ids, such as `sku-lookup`."""
    generate: Callable[[World, str], Truth]
    """Changes a world to fit one of the family's cases, and returns the truth of the task in it."""
    task_count: int
    """The number of its tasks among the 100 of a default run.

    The numbers are those of the public benchmark's production tasks.
    """
    about: str
    """A short description of its requests that fits every case."""
    pages: str = ""
    """The keys of the pages that its answers may cite, separated by spaces.

    The pages on rules and security may always be cited.
    """
    cases: Mapping[str, int] = field(default_factory=lambda: ONE_CASE)
    """The relative frequency of each case by its name."""
    bar: Bar = Bar.NONE
    """Why a quarter of its requests must be refused; `Bar.NONE` if there are no such requests."""

    @property
    def weights(self) -> Mapping[str, int]:
        """The relative frequency of each case, and of `BARRED` requests if there is a bar.

        `{"one fits": 3, "several fit": 2}` are the cases. Without a bar, these are the
        weights; with one, they are `{"one fits": 9, "several fit": 6, "barred": 5}`.
        """
        if self.bar is Bar.NONE:
            return self.cases
        # For one barred request, there are three others: in the example, 5 and 15.
        weights = {case: 3 * weight for case, weight in self.cases.items()}
        weights[BARRED] = sum(self.cases.values())
        return weights

    @property
    def first_case(self) -> str:
        """The name of the first case. If the bar is an embargo, its answer cites a product."""
        return next(iter(self.cases))


def weighted_choice(rng: Random, weights: Mapping[str, int]) -> str:
    """Return a random key of a mapping, drawn by relative frequency.

    With `{"possible": 3, "not active": 1}`, `possible` is three times as likely.
    """
    return rng.choices(list(weights), list(weights.values()))[0]
