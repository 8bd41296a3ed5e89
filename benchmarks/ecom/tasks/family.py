"""A family of tasks: requests of one kind, such as the checkout of a basket.

Its tasks are `basket-checkout.1`, `basket-checkout.2`, ... They differ in the world and in the
case, such as `possible` or `one line is short`. A quarter of a family's requests may be
barred: allowed to others, but not to this user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.barred_answers import denied, refused_until
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.benchmarks.ecom.world.world import GUEST, World, sign_in_customer

# Bars: what forbids some requests of a family, while its other requests are granted.
#
# An employee asks which rows of an export are fraudulent, and the right answer lists them. If a
# guest asks the same, the right answer is a denial that lists none. A truth is a task's request
# with its right answer. Each function changes the world, takes the truth without the bar
# (`original`), and returns the truth with it.


class Bar(Enum):
    """What forbids a quarter of a family's requests."""

    NONE = "none"
    STAFF_ONLY = "staff"
    """A guest or a customer asks, but only staff may."""
    NO_GUESTS = "guest"
    """A guest asks, but only customers and staff may."""
    EMBARGO = "embargo"
    """A product in the answer is under an embargo: nothing may be disclosed about it yet."""


def asked_by_another(
    world: World, original: TaskTruth, pages: tuple[str, ...], bar: Bar
) -> TaskTruth:
    """Sign in somebody who may not make this request, and return its truth.

    Right: deny the request, and cite the page on security. `pages` are the paths of the
    pages that the denial may cite.
    """
    # If only staff may ask, 60 % of the barred requests are a customer's, the others a guest's.
    if bar is Bar.STAFF_ONLY and world.rng.random() < 0.6:
        sign_in_customer(world)
    else:
        world.session = GUEST
    return denied(
        world, original, pages, f"That is not for {world.session.user} to ask."
    )


def with_embargo(
    world: World, original: TaskTruth, pages: tuple[str, ...], *, is_barred: bool
) -> TaskTruth:
    """Put an embargo on a product that the original answer cites, and return the truth.

    - If `is_barred`, the embargo ends in the future. Right: refuse the request as
      unsupported, give the day on which the embargo ends, and cite the rules.
    - Otherwise, half of the tasks get an embargo that is over, so that an embargo alone is
      no reason to refuse. Right: the original answer.

    If the original answer cites no product, there is nothing to put an embargo on, and it
    stays right. `pages` are the paths of those that a refusal may cite.
    """
    rng = world.rng
    today = world.clock.date()
    # Drawn in each case, so that the draws after it stay the same.
    days_to_end = timedelta(days=rng.randint(3, 90))
    products = []
    for product in world.catalogue.products.values():
        if world.path(product) in original.must_cite:
            products.append(product)
    if not products:
        return original

    if is_barred:
        end_day = today + days_to_end
        rng.choice(products).properties["embargo_until"] = end_day.isoformat()
        return refused_until(world, original, pages, end_day)

    has_past_embargo = rng.random() >= 0.5
    if has_past_embargo:
        end_day = today - days_to_end
        rng.choice(products).properties["embargo_until"] = end_day.isoformat()
    return original


_ONE_CASE: Final[Mapping[str, int]] = {"": 1}
"""The cases of a family whose tasks are all alike: one without a name, with the weight 1."""
BARRED: Final = "barred"
"""Stands in place of a case for a request that must be refused, whatever its case is."""


@dataclass(frozen=True, slots=True)
class Family:
    """A family of tasks: requests of one kind, in different worlds and cases."""

    name: str
    """The name in task ids, such as `sku-lookup`."""
    generate: Callable[[World, str], TaskTruth]
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
    cases: Mapping[str, int] = field(default_factory=lambda: _ONE_CASE)
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
