"""Adds purchases to a world: baskets, the payments for them, and the returns of the goods.

A basket that is checked out has a payment, and a payment may have a return.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.world.branch_stock import some_store, stocked_lines
from controlplane.benchmarks.ecom.world.records import (
    ACTIVE,
    CHECKED_OUT,
    Basket,
    Payment,
    Return,
    Store,
)
from controlplane.benchmarks.ecom.world.world import World


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
