"""The rules of one world's company, as far as they differ between worlds.

In one world, large baskets get up to 12 percent off and a card may be verified three times;
in another, up to 15 percent and twice. The world's pages say so, and the right answers
follow from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from controlplane.benchmarks.ecom.world.company.answer_style import (
    ANSWER_STYLES,
    AnswerStyle,
)
from controlplane.benchmarks.ecom.world.company.discount_limits import (
    DISCOUNT_LIMITS,
    DiscountLimits,
)
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one company, as far as they differ between worlds.

    Both the world's pages and the right answers are derived from them.
    """

    answers: AnswerStyle
    """How answers are written."""
    discounts: DiscountLimits
    refund_role: str
    """The role that an employee needs to approve refunds."""
    verification_attempts: int
    """The most attempts to verify a card."""
    verification_delay_min: int
    """The minutes between two attempts."""
    rates: DispatchRates
    """The price of late packages, and the odds and lengths of delays."""


def choose_policy(rng: Random, names: WorldNames, rates: DispatchRates) -> Policy:
    """Choose the policy of one world."""
    return Policy(
        answers=rng.choice(ANSWER_STYLES[names.vocabulary]),
        discounts=rng.choice(DISCOUNT_LIMITS),
        refund_role=names.roles["refund"],
        verification_attempts=rng.choice((2, 3, 4)),
        verification_delay_min=rng.choice((20, 30, 45, 60)),
        rates=rates,
    )
