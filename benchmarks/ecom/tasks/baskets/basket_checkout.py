"""The task to check out one of the asker's own baskets.

"Please check out basket-0012 for me." That is right if the basket is active and its branch
can sell every line in full today. The request never tells; only the records do.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.baskets.checkout_truths import (
    ended_checkout,
    possible_checkout,
    short_checkout,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.branch_stock import (
    set_available,
    some_store,
    stocked_lines,
)
from controlplane.benchmarks.ecom.world.purchases import add_basket
from controlplane.benchmarks.ecom.world.records import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Delivery,
    Product,
    Store,
)
from controlplane.benchmarks.ecom.world.sign_in import sign_in_customer
from controlplane.benchmarks.ecom.world.world import World


def basket_checkout(world: World, case: str) -> Truth:
    """Ask for the checkout of one of the asker's own baskets, named by its id.

    Right: check the basket out if it is active and its branch can sell every line in
    full today. Otherwise change nothing, and give the reason: the product that is
    short, or the basket's status.

    Wrong: count stock that arrives later, or check out a basket that is not active.

    Cases: `possible`, `one line is short`, `not active`.
    """
    # 1. Add another basket of the asker, which is bought already and not meant by the request.
    rng = world.rng
    customer = sign_in_customer(world)
    store = some_store(world, is_open=True)
    other_store = some_store(world)
    other_lines = stocked_lines(world, store, 1)
    add_basket(world, customer, other_store, other_lines, status=CHECKED_OUT)

    # 2. Add the basket, with the lines and the status of the case.
    lines = stocked_lines(world, store, rng.randint(2, 4))
    products = world.catalogue.products
    if rng.random() < 0.3:  # Some baskets have a line that needs no stock.
        digital_products = [
            product for product in products.values() if product.is_digital
        ]
        lines[rng.choice(digital_products).sku] = 1
    missing_product = None
    if case == "one line is short":
        skus_with_stock = [sku for sku in lines if not products[sku].is_digital]
        missing_product = products[rng.choice(skus_with_stock)]
        _make_short_by_one(world, store, missing_product, lines)
    status = ACTIVE
    if case == "not active":
        status = rng.choice((ABANDONED, CHECKED_OUT))
    basket = add_basket(world, customer, store, lines, status=status)

    # 3. Build the truth.
    instruction = world.wording("checkout", basket=basket.id, customer=customer)
    for_tests = {"store": world.path(store)}
    if missing_product is not None:
        return short_checkout(world, basket, instruction, missing_product, for_tests)
    if status != ACTIVE:
        return ended_checkout(world, basket, instruction, for_tests)
    return possible_checkout(world, basket, instruction, for_tests)


def _make_short_by_one(
    world: World, store: Store, product: Product, lines: dict[str, int]
) -> None:
    """Make the line of a product one unit larger than the branch can sell today.

    More units arrive within three days.
    """
    lines[product.sku] += 1
    incoming = [Delivery(6, in_days=world.rng.randint(1, 3))]
    set_available(world, store, product.sku, lines[product.sku] - 1, incoming=incoming)
