"""Chooses branches of a world at random, and puts stock on their shelves.

A branch, which customers call a shop, is a `Store` in the records.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.benchmarks.ecom.world.company.branches import nicknames
from controlplane.benchmarks.ecom.world.records import Delivery, Stock, Store
from controlplane.benchmarks.ecom.world.world import World


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
