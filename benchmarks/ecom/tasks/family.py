"""A family of tasks: requests of one kind, such as the checkout of a basket.

Its tasks are `basket-checkout.1`, `basket-checkout.2`, ... They differ in the world and in the
case, such as `possible` or `one line is short`. A quarter of a family's requests may be
barred: allowed to others, but not to this user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.bars import Bar
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.world import World

ONE_CASE: Final[Mapping[str, int]] = {"": 1}
"""The cases of a family whose tasks are all alike: one without a name, with the weight 1."""


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
    """The reason for which a quarter of its requests must be refused."""

    @property
    def weights(self) -> tuple[int, ...]:
        """The relative frequency of each case, and at the end that of barred requests, if any.

        `{"one fits": 3, "several fit": 2}` -> `(3, 2)`, or `(9, 6, 5)` with a bar.
        """
        case_weights = tuple(self.cases.values())
        if self.bar is Bar.NONE:
            return case_weights
        # For one barred request, there are three others. In the example, 5 barred ones and 15.
        weights_of_others = tuple(3 * weight for weight in case_weights)
        weight_of_barred = sum(case_weights)
        return (*weights_of_others, weight_of_barred)

    def is_barred(self, number: int) -> bool:
        """Return True if a number, drawn by `weights`, stands for a barred request.

        With two cases, 1 and 2 stand for these, and 3 for a barred request.
        """
        return number > len(self.cases)

    def draw_case(self, rng: Random) -> str:
        """Return the name of a random case, drawn by relative frequency."""
        return self.case(weighted_number(rng, list(self.cases.values())))

    def case(self, number: int) -> str:
        """Return the name of a case by its number. The first case has the number 1."""
        return list(self.cases)[number - 1]


def weighted_number(rng: Random, weights: Sequence[int]) -> int:
    """Return a random number from 1 to the number of weights.

    With the weights `(3, 1)`, 1 is three times as likely as 2.
    """
    return rng.choices(range(1, len(weights) + 1), weights)[0]
