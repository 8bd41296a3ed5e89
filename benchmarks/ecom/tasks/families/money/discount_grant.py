"""An authorised employee requests a discount that the policy allows, at a named percentage or at the maximum."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
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
from benchmarks.ecom.world.shop_records import Discount

VARIANTS: Final = (Variant("a percentage within the limit", 1), Variant("the maximum that applies", 4))
NAMED: Final = Wordings(
    (
        "Give basket {basket} a {percent} percent {reason} discount under my name.",
        "Please apply {percent}% with reason {reason} to {basket}; I am the issuer.",
    ),
    ("Enter {percent}% off for basket {basket}, reason {reason}, on my employee id.",),
)
HIGHEST: Final = Wordings(
    (
        "Apply the largest {reason} discount that policy allows to basket {basket}, with me as issuer.",
        "{basket} gets the maximum {reason} discount. Use my employee id.",
    ),
    ("Basket {basket} should get as high a {reason} discount as the rules permit. I am issuing it.",),
)


def pose(world: World, variant: int) -> Truth:
    """Request a discount that may be given."""
    rng = world.rng
    basket = priced_basket(world, is_high=rng.random() < 0.5)
    issuer = sign_in_employee(world, store=world.stores[basket.store_id], role=world.policy.discount_role)
    maximum = world.policy.maximum_percent(world.subtotal(basket))
    percent = rng.randint(1, maximum) if variant == 1 else maximum
    reason = rng.choice(world.policy.reason_codes)
    wording = world.say(NAMED if variant == 1 else HIGHEST)
    after = replace(basket, discount=Discount(percent, reason, issuer.id))
    return Truth(
        instruction=wording.format(basket=basket.id, percent=percent, reason=reason),
        message=f"{basket.id} has {percent} percent off now ({reason}).",
        tokens=(str(percent),),
        records=cite_records(world, [basket, issuer]),
        documents=cite_documents(world, DISCOUNTS),
        tolerated=lines_and_branch(world, basket),
        changes={world.path(basket): world.text(after)},
        inputs={"basket": basket.id, "percent": str(percent), "reason": reason, "issuer": issuer.id},
    )
