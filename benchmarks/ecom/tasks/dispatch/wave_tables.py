"""Draws the tables of a dispatch wave from a world's branches: packages, hubs and lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks.ecom.tasks.dispatch.transfer_wave import LANE_COLUMNS, Lane
from benchmarks.ecom.world.shop_records import Product, Store

PACKAGES: Final = 10
HUBS: Final = ("hub-east", "hub-central", "hub-west")
HUB_OF_CITY: Final = {"Vienna": 0, "Linz": 0, "Salzburg": 0, "Graz": 1, "Innsbruck": 2}
LEAST_MARGIN_CENTS: Final = 900
LOW: Final = "store has current stock, but available quantity is low"
SOON: Final = "store has no available units and incoming stock arrives soon"
LATER: Final = "store has no available units and incoming stock arrives later"
REASONS: Final = (LOW, SOON, LATER)
PACKAGE_COLUMNS: Final = (
    "package_id",
    "sku",
    "product_ref",
    "from_store_id",
    "from_store_ref",
    "to_store_id",
    "to_store_ref",
    "due_time",
    "margin_cents",
    "reason",
)


@dataclass(frozen=True, slots=True)
class Transfer:
    """One package to be: what travels from where to where, until when, and why."""

    product: Product
    start: Store
    end: Store
    due: int
    reason: str

    @property
    def margin_cents(self) -> int:
        """What its timely arrival is worth, by the rule of the public benchmark's waves."""
        price = self.product.price_cents
        return max((price - 2) // 3 if self.reason == LOW else price // 4, LEAST_MARGIN_CENTS)


def draw_transfers(rng: Random, stores: Sequence[Store], products: Sequence[Product]) -> list[Transfer]:
    """Return ten transfers between different branches."""
    few = rng.sample(stores, min(len(stores), 11))
    transfers = []
    for product in rng.sample(products, PACKAGES):
        start, end = rng.sample(few, 2)
        transfers.append(Transfer(product, start, end, rng.randint(8, 28), rng.choice(REASONS)))
    return transfers


def draw_lanes(rng: Random, transfers: Iterable[Transfer]) -> list[Lane]:
    """Return the lanes between hubs, between each branch and its hub, and from start to end of each transfer."""
    stores: dict[str, Store] = {}
    for each in transfers:
        stores |= {each.start.id: each.start, each.end.id: each.end}
    cities = sorted({each.city for each in stores.values()})
    lanes = []
    for start, end in ((0, 1), (2, 1), (1, 0), (1, 2)):
        lanes.append(_lane("lane", (HUBS[start], HUBS[end]), (4, 4, 260), _hub_hint(rng)))
    for store in stores.values():
        hub = HUBS[HUB_OF_CITY.get(store.city, cities.index(store.city) % len(HUBS))]
        for places in ((store.id, hub), (hub, store.id)):
            lanes.append(
                _lane("lane", places, (rng.randint(1, 3), rng.randint(1, 3), rng.randint(90, 210)), _hub_hint(rng))
            )
    for places in dict.fromkeys((each.start.id, each.end.id) for each in transfers):
        hint = (rng.choices(("unlikely", "often", "likely"), (4, 1, 4))[0], rng.choice(("short", "medium", "long")))
        lanes.append(_lane("lane-direct", places, (1, rng.randint(5, 12), rng.randint(530, 975)), hint))
    return lanes


def _hub_hint(rng: Random) -> tuple[str, str]:
    often = rng.choices(("unlikely", "likely"), (40, 1))[0]
    return often, rng.choices(("short", "medium"), (6, 1))[0]


def _lane(kind: str, places: tuple[str, str], figures: tuple[int, int, int], hint: tuple[str, str]) -> Lane:
    """Return the lane between two places, with capacity, travel time and cost of a trip."""
    return Lane(f"{kind}-{places[0]}-{places[1]}", *places, *figures, *hint)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table separated by tabs, with its header."""
    return "".join("\t".join(map(str, row)) + "\n" for row in (columns, *rows))


def lanes_table(lanes: Iterable[Lane]) -> str:
    """Return the table of lanes."""
    return table(
        LANE_COLUMNS,
        [
            (
                each.id,
                each.start,
                each.end,
                each.capacity,
                each.eta,
                each.cost_cents,
                f"delays {each.frequency}; {each.length} when delayed",
            )
            for each in lanes
        ],
    )
