"""What the kinds of fraud share: tours of branches, cheap and expensive products.

Fraud is often seen by the places: within minutes, one card pays in Breda, in Utrecht and in
Zwolle. A tour is such a sequence of branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.records import Product, Store

DAY: Final = timedelta(days=1)
HONEST_TWIN_SHARE: Final = 0.7
"""The share of bursts and device rings that get an honest twin, a day later.

Its payments look like the incident but have an everyday cause, such as a kiosk that
many customers use.
"""
LEAST_TAKEOVER_CENTS: Final = 28_000
"""The least amount of a payment after a takeover, or by one of many customers on one device."""


def tour(rng: Random, stores: Sequence[Store], stops: int) -> list[Store]:
    """Return the branches of a tour with this many stops.

    Each branch is in another city, as far as there are enough. Then the same order of
    cities begins again: Breda, Utrecht, Zwolle, Breda, ...
    """
    by_city: dict[str, list[Store]] = {}
    for store in stores:
        by_city.setdefault(store.city, []).append(store)
    city_order = rng.sample(sorted(by_city), min(stops, len(by_city)))
    branches = []
    for stop in range(stops):
        city = city_order[stop % len(city_order)]
        branches.append(rng.choice(by_city[city]))
    return branches


def product_below(rng: Random, products: Sequence[Product], cents: int) -> Product:
    """Return a random product below this price; if there is none, one of the three cheapest."""
    options = [product for product in products if product.price_cents < cents]
    if not options:
        options = sorted(products, key=_price_of)[:3]
    return rng.choice(options)


def product_from(rng: Random, products: Sequence[Product], cents: int) -> Product:
    """Return a random product of at least this price; if there is none, one of the three dearest."""
    options = [product for product in products if product.price_cents >= cents]
    if not options:
        options = sorted(products, key=_price_of)[-3:]
    return rng.choice(options)


def _price_of(product: Product) -> int:
    return product.price_cents
