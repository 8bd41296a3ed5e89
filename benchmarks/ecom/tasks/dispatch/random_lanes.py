"""Random lanes for a dispatch wave: between hubs, to and from hubs, and direct ones.

A lane is a connection of two places over which packages travel. Breda to Utrecht takes two
or more lanes by way of hubs, which are cheap and rarely delayed but slow, or one direct
lane, which is expensive and often delayed.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.dispatch.lanes import Lane
from controlplane.benchmarks.ecom.tasks.dispatch.transfers import Transfer
from controlplane.benchmarks.ecom.world.records import Store

HUBS: Final = ("hub-east", "hub-central", "hub-west")
"""Where packages change lanes."""
HUB_CONNECTIONS: Final = (
    ("hub-east", "hub-central"),
    ("hub-west", "hub-central"),
    ("hub-central", "hub-east"),
    ("hub-central", "hub-west"),
)
"""The lanes between hubs, each as its start and its end."""


def draw_lanes(rng: Random, transfers: Iterable[Transfer]) -> list[Lane]:
    """Return the lanes of a wave: between hubs, between branches and hubs, and direct ones.

    There is a direct lane for each transfer's pair of branches. A changed order of draws
    would change the tasks of every seed.
    """
    stores: dict[str, Store] = {}
    pairs_of_stores: dict[tuple[str, str], None] = {}  # each pair once, in order
    for transfer in transfers:
        stores[transfer.origin.id] = transfer.origin
        stores[transfer.destination.id] = transfer.destination
        pairs_of_stores[transfer.origin.id, transfer.destination.id] = None

    lanes = []
    for start, end in HUB_CONNECTIONS:
        lanes.append(_draw_lane_between_hubs(rng, start, end))
    # All branches of a city use the same hub.
    cities = sorted({store.city for store in stores.values()})
    for store in stores.values():
        hub = HUBS[cities.index(store.city) % len(HUBS)]
        lanes.append(_draw_hub_lane(rng, store.id, hub))
        lanes.append(_draw_hub_lane(rng, hub, store.id))
    for start, end in pairs_of_stores:
        lanes.append(_draw_direct_lane(rng, start, end))
    return lanes


def _draw_lane_between_hubs(rng: Random, start: str, end: str) -> Lane:
    """Return a lane between two hubs. All of them differ only in their delays."""
    return Lane(
        id=f"lane-{start}-{end}",
        start=start,
        end=end,
        capacity=4,  # packages for each trip
        eta=4,  # time units for each trip
        cost_cents=260,
        delay_frequency=_draw_rare_frequency(rng),
        delay_length=_draw_short_length(rng),
    )


def _draw_hub_lane(rng: Random, start: str, end: str) -> Lane:
    """Return a lane between a branch and its hub. It is cheap and rarely delayed."""
    return Lane(
        id=f"lane-{start}-{end}",
        start=start,
        end=end,
        capacity=rng.randint(1, 3),
        eta=rng.randint(1, 3),
        cost_cents=rng.randint(90, 210),
        delay_frequency=_draw_rare_frequency(rng),
        delay_length=_draw_short_length(rng),
    )


def _draw_direct_lane(rng: Random, start: str, end: str) -> Lane:
    """Return a lane between two branches. It is expensive and often delayed."""
    return Lane(
        id=f"lane-direct-{start}-{end}",
        start=start,
        end=end,
        capacity=1,
        delay_frequency=rng.choices(("unlikely", "often", "likely"), (4, 1, 4))[0],
        delay_length=rng.choice(("short", "medium", "long")),
        eta=rng.randint(5, 12),
        cost_cents=rng.randint(530, 975),
    )


def _draw_rare_frequency(rng: Random) -> str:
    """Return how often a lane to or from a hub is delayed: only one lane in 41 often is."""
    return rng.choices(("unlikely", "likely"), (40, 1))[0]


def _draw_short_length(rng: Random) -> str:
    """Return how long a lane to or from a hub is delayed: one lane in 7 for longer."""
    return rng.choices(("short", "medium"), (6, 1))[0]
