"""The everyday life of a world: stock on the shelves, baskets, payments and returns.

Every world has ordinary records in every state: 26 active baskets, 24 returns, nine card
verifications that were not finished, and so on. So the records that a task adds for its
request are not the only ones of their kind.
"""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.purchases import (
    add_basket,
    add_payment,
    add_return,
)
from controlplane.benchmarks.ecom.world.records import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Basket,
    CardVerification,
    Delivery,
    Payment,
    Stock,
)
from controlplane.benchmarks.ecom.world.world import World, format_instant

_EVERYDAY_RETURNS: Final = (
    "requested",
    "approved",
    "rejected",
    "refund_pending",
    "closed",
    "approved",  # twice as many as in any other state
) * 4
"""The states of the 24 returns in every world."""
CHALLENGES: Final = ("challenge_open", "challenge_abandoned", "challenge_timed_out")
"""The states of a card verification (a challenge) that was not finished."""
_EVERYDAY_CHALLENGES: Final = CHALLENGES * 3
"""The states of the nine unfinished card verifications in every world."""
_EVERYDAY_CUSTOMERS: Final = 40
"""The number of customers who have the ordinary baskets."""
_ACTIVE_BASKETS: Final = 26
"""The number of ordinary active baskets in every world."""
_ABANDONED_BASKETS: Final = 21
_CHECKED_OUT_BASKETS: Final = 43
"""The number of ordinary checked-out baskets. Each has a payment."""


def add_everyday_life(world: World) -> None:
    """Stock the branches, and add ordinary baskets, payments and returns in every state."""
    _stock_branches(world)
    customers = [world.new_id("cust") for _ in range(_EVERYDAY_CUSTOMERS)]
    for _ in range(_ACTIVE_BASKETS):
        _add_everyday_basket(world, customers, ACTIVE)
    for _ in range(_ABANDONED_BASKETS):
        _add_everyday_basket(world, customers, ABANDONED)
    payments = []
    for _ in range(_CHECKED_OUT_BASKETS):
        basket = _add_everyday_basket(world, customers, CHECKED_OUT)
        payments.append(add_payment(world, basket))

    # The first payments get returns, the last ones unfinished verifications. Those
    # between get neither, so `zip` stops early.
    for payment, status in zip(payments, _EVERYDAY_RETURNS, strict=False):
        add_return(world, payment, status=status)
    for payment, state in zip(reversed(payments), _EVERYDAY_CHALLENGES, strict=False):
        _make_stuck(world, payment, state)


def _stock_branches(world: World) -> None:
    """Give each branch a stock of some of the physical products."""
    rng = world.rng
    shelf_skus = [product.sku for product in world.catalogue.shelf]
    for store in world.stores.values():
        for sku in sorted(rng.sample(shelf_skus, rng.randint(35, 45))):
            store.inventory[sku] = _draw_stock(rng)


def _draw_stock(rng: Random) -> Stock:
    """Return a random stock: plenty, all reserved, or almost none."""
    draw = rng.random()
    if draw < 0.55:  # In 55 of 100 rows, plenty is left.
        on_hand = rng.randint(3, 16)
        return Stock(on_hand, rng.randint(0, 3))
    incoming = []
    if draw < 0.75:  # In 20 of 100, all units are reserved.
        reserved = rng.randint(1, 6)
        if rng.random() < 0.3:
            incoming.append(Delivery(rng.randint(1, 8), in_days=rng.randint(1, 14)))
        return Stock(reserved, reserved, incoming)
    # In the other 25, almost nothing is left.
    on_hand = rng.randint(0, 2)
    if rng.random() < 0.7:
        incoming.append(Delivery(rng.randint(2, 9), in_days=rng.randint(1, 14)))
    return Stock(on_hand, 0, incoming)


def _add_everyday_basket(world: World, customers: list[str], status: str) -> Basket:
    """Add a basket of one to four products for a random customer and branch."""
    rng = world.rng
    every_sku = list(world.catalogue.products)
    skus = rng.sample(every_sku, rng.randint(1, 4))
    lines = {sku: rng.randint(1, 3) for sku in skus}
    customer = rng.choice(customers)
    store = rng.choice(list(world.stores.values()))
    return add_basket(world, customer, store, lines, status=status)


def _make_stuck(world: World, payment: Payment, state: str) -> None:
    """Make a payment wait for a card verification that was not finished: a stuck payment.

    The verification may be restarted from a time that is hours ago or up to 50 minutes ahead.
    """
    max_attempts = world.policy.verification_attempts
    retry_after = world.clock + timedelta(minutes=world.rng.randint(-300, 50))
    attempts = world.rng.randint(1, max_attempts)
    payment.status = "awaiting_verification"
    payment.verification = CardVerification(
        state, attempts, max_attempts, format_instant(retry_after)
    )
