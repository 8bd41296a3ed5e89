"""An authorised employee requests a higher discount than the policy allows; the answer names the maximum."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import UNSUPPORTED, Truth
from benchmarks.ecom.tasks.task_setup import (
    cite_documents,
    cite_records,
    lines_and_branch,
    priced_basket,
    sign_in_employee,
)
from benchmarks.ecom.world.documents import DISCOUNTS
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("below the threshold"), Variant("from the threshold on"))
WORDINGS: Final = Wordings(
    (
        "Put a {percent} percent {reason} discount on basket {basket}. If that is too much, tell me the maximum "
        "instead.",
        "Apply {percent}% ({reason}) to {basket}, issued by me. If policy blocks it, what is the maximum percent?",
    ),
    ("Could basket {basket} have {percent}% off ({reason}), issued by me? If not, what is the highest percentage?",),
)


def pose(world: World, variant: int) -> Truth:
    """Request a little more than the maximum, or, below the threshold, what the higher tier would allow."""
    rng = world.rng
    basket = priced_basket(world, is_high=variant == 2)
    issuer = sign_in_employee(world, store=world.stores[basket.store_id], role=world.policy.discount_role)
    maximum = world.policy.maximum_percent(world.subtotal(basket))
    above = maximum + rng.randint(1, 3)
    percent = above if variant == 2 or rng.random() < 0.5 else world.policy.high_percent
    reason = rng.choice(world.policy.reason_codes)
    return Truth(
        instruction=world.say(WORDINGS).format(percent=percent, reason=reason, basket=basket.id),
        outcome=UNSUPPORTED,
        message=f"That is not possible: the maximum for {basket.id} is {maximum} percent.",
        tokens=(str(maximum),),
        records=cite_records(world, [basket, issuer]),
        documents=cite_documents(world, DISCOUNTS),
        tolerated=lines_and_branch(world, basket),
        inputs={
            "basket": basket.id,
            "reason": reason,
            "issuer": issuer.id,
            "maximum": str(maximum),
            "percent": str(percent),
        },
    )
