"""Random choices for payments: a tour of branches, and a cheap or an expensive product."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from controlplane.benchmarks.ecom.world.records import Product, Store


def tour(
    rng: Random, stores: Sequence[Store], stops: int, *, cities: int
) -> list[Store]:
    """Return a sequence of branches in at least `cities` cities, if that many exist.

    If possible, each branch is in another city than the one before.
    """
    by_city: dict[str, list[Store]] = {}
    for store in stores:
        by_city.setdefault(store.city, []).append(store)
    # Each stop is in a new city, until all cities have been visited. Then they are
    # visited again in the same order.
    wanted_cities = max(stops, cities)
    visited = rng.sample(sorted(by_city), min(wanted_cities, len(by_city)))
    route = []
    for stop in range(stops):
        city = visited[stop % len(visited)]
        route.append(rng.choice(by_city[city]))
    return route


def product_below(rng: Random, products: Sequence[Product], cents: int) -> Product:
    """Return a product below this price or, if there is none, one of the three cheapest."""
    options = [product for product in products if product.price_cents < cents]
    if not options:
        options = sorted(products, key=_price_of)[:3]
    return rng.choice(options)


def product_from(rng: Random, products: Sequence[Product], cents: int) -> Product:
    """Return a product of at least this price or, if there is none, one of the three dearest."""
    options = [product for product in products if product.price_cents >= cents]
    if not options:
        options = sorted(products, key=_price_of)[-3:]
    return rng.choice(options)


def _price_of(product: Product) -> int:
    return product.price_cents
