"""Random lanes for a dispatch wave: between hubs, to and from hubs, and direct ones.

A lane is a connection of two places over which packages travel. Breda to Utrecht takes two
or more lanes by way of hubs, which are cheap and rarely delayed but slow, or one direct
lane, which is expensive and often delayed.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final, NamedTuple

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
"""The lanes between hubs, by start and end."""


def draw_lanes(rng: Random, transfers: Iterable[Transfer]) -> list[Lane]:
    """Return the lanes between hubs, between branches and hubs, and directly between branches.

    Lanes by way of hubs are cheap and rarely delayed, but slow: a package takes two or
    more of them. Direct lanes are expensive and often delayed.
    """
    stores: dict[str, Store] = {}
    pairs_of_stores = []
    for transfer in transfers:
        stores[transfer.origin.id] = transfer.origin
        stores[transfer.destination.id] = transfer.destination
        pair = (transfer.origin.id, transfer.destination.id)
        if pair not in pairs_of_stores:
            pairs_of_stores.append(pair)
    # All branches of a city use the same hub.
    cities = sorted({store.city for store in stores.values()})

    lanes = []
    for start, end in HUB_CONNECTIONS:
        delays = _draw_hub_delays(rng)
        lane = Lane(
            id=f"lane-{start}-{end}",
            start=start,
            end=end,
            capacity=4,  # packages for each trip
            eta=4,  # time units for each trip
            cost_cents=260,
            delay_frequency=delays.frequency,
            delay_length=delays.length,
        )
        lanes.append(lane)
    for store in stores.values():
        hub = HUBS[cities.index(store.city) % len(HUBS)]
        lanes.append(_draw_hub_lane(rng, store.id, hub))
        lanes.append(_draw_hub_lane(rng, hub, store.id))
    for start, end in pairs_of_stores:
        lanes.append(_draw_direct_lane(rng, start, end))
    return lanes


def _draw_hub_lane(rng: Random, start: str, end: str) -> Lane:
    """Return a lane between a branch and its hub. It is cheap and rarely delayed."""
    capacity = rng.randint(1, 3)
    eta = rng.randint(1, 3)
    cost_cents = rng.randint(90, 210)
    delays = _draw_hub_delays(rng)
    return Lane(
        id=f"lane-{start}-{end}",
        start=start,
        end=end,
        capacity=capacity,
        eta=eta,
        cost_cents=cost_cents,
        delay_frequency=delays.frequency,
        delay_length=delays.length,
    )


def _draw_direct_lane(rng: Random, start: str, end: str) -> Lane:
    """Return a lane between two branches. It is expensive and often delayed."""
    frequency = rng.choices(("unlikely", "often", "likely"), (4, 1, 4))[0]
    length = rng.choice(("short", "medium", "long"))
    eta = rng.randint(5, 12)
    cost_cents = rng.randint(530, 975)
    return Lane(
        id=f"lane-direct-{start}-{end}",
        start=start,
        end=end,
        capacity=1,
        eta=eta,
        cost_cents=cost_cents,
        delay_frequency=frequency,
        delay_length=length,
    )


class HubDelays(NamedTuple):
    """The frequency and the length of delays on a lane to or from a hub."""

    frequency: str
    length: str


def _draw_hub_delays(rng: Random) -> HubDelays:
    """Return random delays of a lane to or from a hub, mostly rare and short."""
    # The second argument has the weights: one in 41 lanes is often late, one in 7 for longer.
    frequency = rng.choices(("unlikely", "likely"), (40, 1))[0]
    length = rng.choices(("short", "medium"), (6, 1))[0]
    return HubDelays(frequency, length)
