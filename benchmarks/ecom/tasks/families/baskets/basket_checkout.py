"""A customer requests the checkout of their own basket; stock and status decide."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import OK, UNSUPPORTED, Truth
from benchmarks.ecom.tasks.task_setup import (
    cite_documents,
    cite_records,
    lines_and_branch,
    products_of,
    set_available,
    sign_in_customer,
    some_store,
    stocked_lines,
)
from benchmarks.ecom.world.documents import CHECKOUT
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import ABANDONED, ACTIVE, CHECKED_OUT

VARIANTS: Final = (
    Variant("everything in stock, or a download", 8),
    Variant("one line short", 2),
    Variant("not active any more", 1),
)
WORDINGS: Final = Wordings(
    (
        "Please check out basket {basket} for me.",
        "I'm done choosing: buy everything in {basket} now, please.",
        "Complete the checkout of my basket {basket}.",
        "Go ahead with {basket}, I would like to pick it up today.",
    ),
    (
        "{basket} is ready. Please check it out.",
        "Time to pay: finalise the purchase of my basket {basket}.",
    ),
)


def pose(world: World, variant: int) -> Truth:
    """Request the checkout of one basket, named by its id."""
    rng = world.rng
    customer = sign_in_customer(world)
    store = some_store(world, is_open=True)
    world.add_basket(customer, some_store(world), stocked_lines(world, store, 1), status=CHECKED_OUT)
    lines = stocked_lines(world, store, rng.randint(2, 4))
    if rng.random() < 0.3:
        lines[rng.choice(world.catalogue.downloads).sku] = 1
    if variant == 2:
        short = rng.choice([sku for sku in lines if not world.catalogue.products[sku].is_digital])
        lines[short] += 1
        set_available(world, store, short, lines[short] - 1, incoming=[(6, rng.randint(1, 3))])
    status = rng.choice((ABANDONED, CHECKED_OUT)) if variant == 3 else ACTIVE
    basket = world.add_basket(customer, store, lines, status=status)
    inputs = {
        "basket": world.path(basket),
        "store": world.path(store),
        "id": basket.id,
        "products": "\n".join(cite_records(world, products_of(world, basket))),
    }
    workable = variant == 1
    return Truth(
        instruction=world.say(WORDINGS).format(basket=basket.id),
        outcome=OK if workable else UNSUPPORTED,
        message=f"Basket {basket.id} is checked out." if workable else f"Basket {basket.id} cannot be checked out.",
        records=cite_records(world, [basket]),
        documents=cite_documents(world, CHECKOUT),
        tolerated=lines_and_branch(world, basket),
        changes={world.path(basket): world.text(basket, status=CHECKED_OUT)} if workable else {},
        inputs=inputs,
    )
