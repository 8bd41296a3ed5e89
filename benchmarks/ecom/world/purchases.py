"""Adds purchases to a world: baskets, the payments for them, and the returns of the goods.

A basket that is checked out has a payment, and a payment may have a return.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.benchmarks.ecom.world.company import nicknames
from controlplane.benchmarks.ecom.world.records import (
    ACTIVE,
    CHECKED_OUT,
    Basket,
    Delivery,
    Payment,
    Return,
    Stock,
    Store,
)
from controlplane.benchmarks.ecom.world.world import World

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


def add_payment(world: World, basket: Basket, *, status: str = "paid") -> Payment:
    """Add the payment for a basket at current prices."""
    payment = Payment(
        id=world.new_id("pay"),
        basket_id=basket.id,
        customer_id=basket.customer_id,
        store_id=basket.store_id,
        amount_cents=world.catalogue.price_of(basket.lines),
        status=status,
        created_at=world.ago(days=world.rng.uniform(0.1, 0.9)),
    )
    world.payments[payment.id] = payment
    return payment


def add_paid_basket(world: World, customer_id: str) -> Payment:
    """Add a basket that is checked out and paid, and return its payment."""
    store = some_store(world)
    lines = stocked_lines(world, store, world.rng.randint(1, 3))
    basket = add_basket(world, customer_id, store, lines, status=CHECKED_OUT)
    return add_payment(world, basket)


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
