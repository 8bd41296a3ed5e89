"""Baskets whose subtotal is close to the threshold of the higher maximum discount.

With a threshold of EUR 500, a basket of EUR 499.99 may get at most 5 percent, one of EUR
500.00 up to 10. So many baskets are exactly at the threshold or one cent below or above it:
for that, the price of one product in the basket is changed.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.world.branch_stock import set_available, some_store
from controlplane.benchmarks.ecom.world.purchases import add_basket
from controlplane.benchmarks.ecom.world.records import Basket
from controlplane.benchmarks.ecom.world.world import World

SMALLEST_PRICE_CENTS: Final = 500
"""The least price of a product whose price is changed to bring a subtotal to the threshold."""


def add_priced_basket(world: World, *, is_large: bool) -> Basket:
    """Add an active basket with a subtotal above or below a threshold.

    From the threshold on, the basket is large, and its maximum discount is higher. The
    subtotal is often exactly at the threshold or one cent away. The branch can sell every
    line today.
    """
    rng = world.rng
    threshold = world.policy.discounts.threshold_cents
    if is_large:
        lowest = threshold
        highest = threshold * 3 // 2  # 150 % of the threshold
    else:
        lowest = threshold * 3 // 5  # 60 % of the threshold
        highest = threshold - 1
    store = some_store(world)
    skus = [product.sku for product in world.catalogue.shelf]
    # Draw the lines until their price is in this range.
    lines: dict[str, int] = {}
    while not lowest <= world.catalogue.price_of(lines) <= highest:
        chosen = rng.sample(skus, rng.randint(1, 3))
        lines = {sku: rng.randint(1, 2) for sku in chosen}

    single_skus = [sku for sku, count in lines.items() if count == 1]
    if single_skus and rng.random() < 0.6:
        _move_to_threshold(world, lines, single_skus[0], is_large=is_large)
    for sku, count in lines.items():
        set_available(world, store, sku, count + rng.randint(0, 4))
    return add_basket(world, world.new_id("cust"), store, lines)


def _move_to_threshold(
    world: World, lines: dict[str, int], sku: str, *, is_large: bool
) -> None:
    """Change one product's price so that the subtotal is at the threshold or one cent away.

    At the threshold and one cent above it, a basket is large and the higher maximum
    discount applies; one cent below, the lower one. If the product would become too cheap,
    its price stays. The basket has one unit of it.
    """
    product = world.catalogue.products[sku]
    threshold = world.policy.discounts.threshold_cents
    if is_large:
        wanted_subtotal = threshold + world.rng.choice((0, 1))
    else:
        wanted_subtotal = threshold - 1
    price_of_other_lines = world.catalogue.price_of(lines) - product.price_cents
    new_price = wanted_subtotal - price_of_other_lines
    if new_price > SMALLEST_PRICE_CENTS:
        product.price_cents = new_price
