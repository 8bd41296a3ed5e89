"""What the customers of a world have bought, and what else happens on its days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.company import nicknames
from controlplane.benchmarks.ecom.world.records import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Basket,
    CardVerification,
    Delivery,
    Payment,
    Return,
    Stock,
    Store,
)
from controlplane.benchmarks.ecom.world.world import World, format_instant

# Adds purchases to a world: baskets, the payments for them, and the returns of the goods.
#
# A basket that is checked out has a payment, and a payment may have a return.

# Chooses branches of a world at random, and puts stock on their shelves.
#
# A branch, which customers call a shop, is a `Store` in the records.


def some_store(world: World, *, is_open: bool | None = None) -> Store:
    """Return a random branch; `is_open` restricts the choice."""
    stores = list(world.stores.values())
    if is_open is not None:
        stores = [store for store in stores if store.is_open == is_open]
    return world.rng.choice(stores)


def nickname(world: World, store: Store) -> str:
    """Return a random one of the names by which people call a branch."""
    return world.rng.choice(nicknames(store))


def set_available(
    world: World,
    store: Store,
    sku: str,
    available: int,
    *,
    incoming: Iterable[Delivery] = (),
) -> None:
    """Give the branch a stock row with exactly `available` units for sale today."""
    reserved = world.rng.randint(0, 4)
    store.inventory[sku] = Stock(available + reserved, reserved, list(incoming))
    # A branch's file lists its stock by SKU, so that a new row does not stand out at the end.
    store.inventory = dict(sorted(store.inventory.items()))


def stocked_lines(world: World, store: Store, count: int) -> dict[str, int]:
    """Return random basket lines, `{sku: quantity}`, after giving the branch enough of each."""
    lines = {}
    for product in world.catalogue.some_products(world.rng, count):
        quantity = world.rng.randint(1, 3)
        lines[product.sku] = quantity
        spare = world.rng.randint(0, 5)
        set_available(world, store, product.sku, quantity + spare)
    return lines


def add_basket(
    world: World,
    customer_id: str,
    store: Store,
    lines: dict[str, int],
    *,
    status: str = ACTIVE,
) -> Basket:
    """Add a basket that was created up to 25 days ago. `lines` are the quantities by SKU."""
    basket_id = world.new_id("basket")
    created_at = world.ago(days=world.rng.uniform(1, 25))
    basket = Basket(basket_id, customer_id, store.id, status, created_at, lines)
    world.baskets[basket.id] = basket
    return basket


def _add_payment(world: World, basket: Basket) -> Payment:
    """Add the payment for a basket at current prices."""
    payment = Payment(
        id=world.new_id("pay"),
        basket_id=basket.id,
        customer_id=basket.customer_id,
        store_id=basket.store_id,
        amount_cents=world.catalogue.price_of(basket.lines),
        status="paid",
        created_at=world.ago(days=world.rng.uniform(0.1, 0.9)),
    )
    world.payments[payment.id] = payment
    return payment


def add_paid_basket(world: World, customer_id: str) -> Payment:
    """Add a basket that is checked out and paid, and return its payment."""
    store = some_store(world)
    lines = stocked_lines(world, store, world.rng.randint(1, 3))
    basket = add_basket(world, customer_id, store, lines, status=CHECKED_OUT)
    return _add_payment(world, basket)


def add_return(world: World, payment: Payment, *, status: str) -> Return:
    """Add a return for a payment."""
    returned = Return(
        id=world.new_id("return"),
        customer_id=payment.customer_id,
        payment_id=payment.id,
        status=status,
        reason_code=world.rng.choice(world.names.return_reasons),
        created_at=world.ago(minutes=world.rng.uniform(5, 100)),
    )
    world.returns[returned.id] = returned
    return returned


def paths_of_products_and_branches(world: World, *baskets: Basket) -> tuple[str, ...]:
    """Return the paths of the branch and the products of each basket, which answers may cite."""
    paths: list[str] = []
    for basket in baskets:
        paths.append(world.path(world.stores[basket.store_id]))
        paths += world.paths(*world.catalogue.products_of(basket.lines))
    return tuple(paths)


# The everyday life of a world: stock on the shelves, baskets, payments and returns.
#
# Every world has ordinary records in every state: 26 active baskets, 24 returns, nine card
# verifications that were not finished, and so on. So the records that a task adds for its
# request are not the only ones of their kind.

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
    # Each branch has a stock of some of the physical products.
    rng = world.rng
    shelf_skus = [product.sku for product in world.catalogue.shelf]
    for store in world.stores.values():
        for sku in sorted(rng.sample(shelf_skus, rng.randint(35, 45))):
            store.inventory[sku] = _draw_stock(rng)

    customers = [world.new_id("cust") for _ in range(_EVERYDAY_CUSTOMERS)]
    for _ in range(_ACTIVE_BASKETS):
        _add_everyday_basket(world, customers, ACTIVE)
    for _ in range(_ABANDONED_BASKETS):
        _add_everyday_basket(world, customers, ABANDONED)
    payments = []
    for _ in range(_CHECKED_OUT_BASKETS):
        basket = _add_everyday_basket(world, customers, CHECKED_OUT)
        payments.append(_add_payment(world, basket))

    # The first payments get returns, the last ones unfinished verifications. Those
    # between get neither, so `zip` stops early.
    for payment, status in zip(payments, _EVERYDAY_RETURNS, strict=False):
        add_return(world, payment, status=status)
    for payment, state in zip(reversed(payments), _EVERYDAY_CHALLENGES, strict=False):
        # It may be restarted from a time that is hours ago or up to 50 minutes ahead.
        max_attempts = world.policy.verification_attempts
        retry_after = world.clock + timedelta(minutes=rng.randint(-300, 50))
        attempts = rng.randint(1, max_attempts)
        payment.status = "awaiting_verification"
        payment.verification = CardVerification(
            state, attempts, max_attempts, format_instant(retry_after)
        )


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
