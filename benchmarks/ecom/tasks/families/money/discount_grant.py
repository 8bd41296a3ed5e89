"""An authorised employee gives a discount that the policy allows, at a named percentage or at the maximum."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from benchmarks.ecom.tasks.reference_hands import Desk
from benchmarks.ecom.tasks.scenes import because, cited, priced_basket, sign_in_employee
from benchmarks.ecom.tasks.task import OK, Answer, Task, Truth
from benchmarks.ecom.world.documents import DISCOUNTS
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import Discount

VARIANTS: Final = ("a percentage within the limit", "the maximum that applies")
NAMED: Final = (
    "Give basket {basket} a {percent} percent {reason} discount under my name.",
    "Please apply {percent}% with reason {reason} to {basket}; I am the issuer.",
)
HIGHEST: Final = (
    "Apply the largest {reason} discount that policy allows to basket {basket}, with me as issuer.",
    "{basket} gets the maximum {reason} discount. Use my employee id.",
)


def pose(world: World, variant: int) -> Task:
    """Ask for a discount that may be given."""
    rng = world.rng
    basket = priced_basket(world, is_high=rng.random() < 0.5)
    issuer = sign_in_employee(world, store=world.stores[basket.store_id], role=world.policy.discount_role)
    maximum = world.policy.maximum_percent(world.subtotal(basket))
    percent = rng.randint(1, maximum) if variant == 1 else maximum
    reason = rng.choice(world.policy.reason_codes)
    wording = rng.choice(NAMED if variant == 1 else HIGHEST)
    after = replace(basket, discount=Discount(percent, reason, issuer.id))
    return Task(
        wording.format(basket=basket.id, percent=percent, reason=reason),
        world,
        Truth(
            outcome=OK,
            message=f"{basket.id} has {percent} percent off now ({reason}).",
            tokens=(str(percent),),
            records=cited(world, [basket, issuer]),
            documents=because(DISCOUNTS),
            changes={world.path(basket): world.text(after)},
            handles={"basket": basket.id, "percent": str(percent), "reason": reason, "issuer": issuer.id},
        ),
    )


def give_discount(desk: Desk, truth: Truth, percent: int, issuer: str) -> Answer:
    told = truth.handles
    desk.run("/bin/discount", told["basket"], str(percent), told["reason"], issuer)
    return desk.conclude(truth, f"{told['basket']} has {percent} percent off now ({told['reason']}).")


def reference(desk: Desk, truth: Truth) -> Answer:
    """Give the discount in the name of the signed-in employee."""
    return give_discount(desk, truth, int(truth.handles["percent"]), desk.who()["user"])
