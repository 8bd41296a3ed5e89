"""A customer says "my basket" without an id: the only active one is checked out, several call for a clarification."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import CLARIFICATION, Truth
from benchmarks.ecom.tasks.task_setup import (
    cite_documents,
    cite_records,
    lines_and_branch,
    sign_in_customer,
    some_store,
    stocked_lines,
)
from benchmarks.ecom.world.documents import CHECKOUT
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import ABANDONED, CHECKED_OUT, Basket

VARIANTS: Final = (Variant("several active baskets", 7), Variant("one active basket among others", 1))
WORDINGS: Final = Wordings(
    (
        "Check out my basket, please.",
        "I want to buy what is in my basket.",
        "checkout my basket now",
        "Please complete my purchase.",
    ),
    (
        "I am finished. Check the basket out, please.",
        "Please buy the things I have put aside in my basket.",
    ),
)


def _baskets(world: World, customer: str, count: int, status: str) -> list[Basket]:
    baskets = []
    for _ in range(count):
        store = some_store(world, is_open=True)
        baskets.append(
            world.add_basket(customer, store, stocked_lines(world, store, world.rng.randint(1, 3)), status=status)
        )
    return baskets


def pose(world: World, variant: int) -> Truth:
    """Request a checkout without naming the basket."""
    rng = world.rng
    customer = sign_in_customer(world)
    for status in rng.sample((ABANDONED, CHECKED_OUT), rng.randint(1, 2)):
        _baskets(world, customer, 1, status)
    active = _baskets(world, customer, rng.randint(2, 3) if variant == 1 else 1, "active")
    wording = world.say(WORDINGS)
    if variant == 1:
        ids = " or ".join(each.id for each in active)
        return Truth(
            instruction=wording,
            outcome=CLARIFICATION,
            message=f"You have several active baskets. Which one: {ids}?",
            records=cite_records(world, active),
            tolerated=frozenset().union(*(lines_and_branch(world, each) for each in active)),
            inputs={"baskets": " ".join(world.path(each) for each in active)},
        )
    basket = active[0]
    return Truth(
        instruction=wording,
        message=f"Basket {basket.id} is checked out.",
        records=cite_records(world, [basket]),
        documents=cite_documents(world, CHECKOUT),
        tolerated=lines_and_branch(world, basket),
        changes={world.path(basket): world.text(basket, status=CHECKED_OUT)},
        inputs={"baskets": world.path(basket)},
    )
