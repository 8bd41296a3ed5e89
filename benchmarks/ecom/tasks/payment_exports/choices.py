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
"""Payments with a stolen card or account are at least this high, except in a burst of small ones."""


def tour(
    rng: Random, stores: Sequence[Store], stops: int, *, cities: int
) -> list[Store]:
    """Return the branches of a tour with this many stops, in at least `cities` cities.

    Each branch is in another city than the one before: Breda, Utrecht, Zwolle, Breda, ...
    If the company is in fewer cities, the tour has only these.
    """
    by_city: dict[str, list[Store]] = {}
    for store in stores:
        by_city.setdefault(store.city, []).append(store)
    # A new city for each stop, as far as there are enough. Then the same order begins again.
    wanted_cities = max(stops, cities)
    city_order = rng.sample(sorted(by_city), min(wanted_cities, len(by_city)))
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
