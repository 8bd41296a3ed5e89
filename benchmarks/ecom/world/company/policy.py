"""The rules of one world's company, as far as they differ between worlds.

In one world, large baskets get up to 12 percent off and a card may be verified three times;
in another, up to 15 percent and twice. The world's pages say so, and the right answers
follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.data import DATA
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """How answers are written in one world."""

    yes: str
    """The word for yes: `<YES>`, `ja`, `1`."""
    no: str
    """The word for no."""
    cites_mentioned: bool
    """True if an answer cites all SKUs mentioned in its request, including excluded ones."""


ANSWER_STYLES: Final[Mapping[str, list[AnswerStyle]]] = {
    vocabulary: [AnswerStyle(**style) for style in styles]
    for vocabulary, styles in DATA["answer_styles"].items()
}
"""The possible answer styles by vocabulary.

A vocabulary is a set of names: `own` (made up here), `public` (those of the public
benchmark), or `random`.
"""


@dataclass(frozen=True, slots=True)
class DiscountLimits:
    """The highest discounts in one world, which depend on a basket's subtotal.

    For example, up to 12 percent if the subtotal is at least 120 euros, and up to 5
    percent if it is less.
    """

    threshold_cents: int
    percent_from_threshold: int
    percent_below_threshold: int

    def highest_percent(self, subtotal_cents: int) -> int:
        """Return the highest discount that a basket of this subtotal may get."""
        if subtotal_cents >= self.threshold_cents:
            return self.percent_from_threshold
        return self.percent_below_threshold


DISCOUNT_LIMITS: Final = [
    DiscountLimits(**limits) for limits in DATA["discount_limits"]
]


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one company, as far as they differ between worlds.

    Both the world's pages and the right answers are derived from them.
    """

    yes: str
    """The word for yes in answers: `<YES>`, `ja`, `1`."""
    no: str
    """The word for no in answers."""
    cites_mentioned: bool
    """True if an answer cites all SKUs mentioned in its request, including excluded ones."""
    discounts: DiscountLimits
    refund_role: str
    """The role that an employee needs to approve refunds."""
    verification_attempts: int
    """The most attempts to verify a card."""
    verification_delay_min: int
    """The minutes between two attempts."""
    rates: DispatchRates
    """The price of late packages, and the odds and lengths of delays."""
    outbox: str = ""
    """The file for requests to other systems; empty if such requests are not supported.

    Only the task that needs such a file sets it.
    """

    def word(self, is_yes: bool) -> str:
        """Return the world's word for yes or no."""
        return self.yes if is_yes else self.no


def choose_policy(rng: Random, names: WorldNames, rates: DispatchRates) -> Policy:
    """Choose the policy of one world."""
    style = rng.choice(ANSWER_STYLES[names.vocabulary])
    discounts = rng.choice(DISCOUNT_LIMITS)
    return Policy(
        yes=style.yes,
        no=style.no,
        cites_mentioned=style.cites_mentioned,
        discounts=discounts,
        refund_role=names.roles["refund"],
        verification_attempts=rng.choice((2, 3, 4)),
        verification_delay_min=rng.choice((20, 30, 45, 60)),
        rates=rates,
    )
