"""The task to plan a dispatch wave.

A wave is a set of packages that branches send to each other, at the same time, over
lanes: cheap ones by way of hubs, and expensive direct ones. A plan gives each package a
route and a priority. Its gain is the margin of the packages minus the costs. A naive plan,
which routes each package as if it travelled alone, must earn less than a good plan, which
a search finds. So waves are drawn until that is so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.tasks.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.dispatch_plans import good_plan, naive_plans
from controlplane.benchmarks.ecom.tasks.dispatch_waves import (
    Lane,
    Package,
    Wave,
    mean_gain,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.branch_stock import set_available
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.records import Delivery, Product, Stock, Store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.world import World

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
"""The characters of random ids, without `I`, `O`, `l` and `0`, which look like others."""

MAX_BRANCHES: Final = 11
"""The most branches between which a wave sends packages."""
PACKAGES: Final = 10
"""The number of packages in a wave."""
LEAST_MARGIN_CENTS: Final = 900
"""The least margin of a package, however cheap its product is."""

# Why a package is sent: the state of the stock at the branch that needs the product.
LOW: Final = "store has current stock, but available quantity is low"
SOON: Final = "store has no available units and incoming stock arrives soon"
LATER: Final = "store has no available units and incoming stock arrives later"

MAX_NAIVE_SHARE: Final = 0.96
"""A wave is hard if naive plans earn at most this share of the gain of a good plan."""
MAX_DRAWS: Final = 6
"""The number of waves that are drawn to find a hard one. If none is hard, the hardest is taken."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """One unit of a product that is sent from one branch to another."""

    product: Product
    origin: Store
    destination: Store
    reason: str
    """Why it is sent: the state of the destination's stock, such as `SOON`."""
    package: Package

    def row(self, world: World) -> dict[str, object]:
        """Return the transfer as a row of the table of packages."""
        return {
            "package_id": self.package.id,
            "sku": self.product.sku,
            "product_ref": world.path(self.product),
            "from_store_id": self.origin.id,
            "from_store_ref": world.path(self.origin),
            "to_store_id": self.destination.id,
            "to_store_ref": world.path(self.destination),
            "due_time": self.package.due,
            "margin_cents": self.package.margin_cents,
            "reason": self.reason,
        }


def dispatch_wave(world: World, _case: str) -> Truth:
    """Ask, as an employee, for the plan of one wave: ten packages over hubs and direct lanes.

    Right: a JSON plan with a connected route and a priority for every package, with the
    gain of the best known plan. Lower gains score less.

    Wrong: plan each package as if it travelled alone, which ignores slow and delayed
    lanes. (A lane is a connection of two places.)
    """
    # 1. Draw the packages, each with one unit of a product, and the stock of their branches.
    rng = world.rng
    sign_in_employee(world)
    stores = list(world.stores.values())
    branches = rng.sample(stores, min(len(stores), MAX_BRANCHES))
    transfers = []
    for number, product in enumerate(
        rng.sample(world.catalogue.shelf, PACKAGES), start=1
    ):
        transfers.append(_draw_transfer(rng, number, product, branches))
    for transfer in transfers:
        _set_stock(world, transfer)

    # 2. Draw the lanes between the branches.
    wave_id = "".join(rng.choices(LETTERS, k=8))
    packages = {transfer.package.id: transfer.package for transfer in transfers}
    wave_without_lanes = Wave(wave_id, packages, {}, world.policy.rates)
    wave = _with_hard_lanes(rng, wave_without_lanes, transfers)

    # 3. Write both into tables that the request points to.
    folder = f"/ops/dispatch/wave-{wave_id}"
    document_path = f"{folder}/dispatch.md"
    packages_path = f"{folder}/packages.tsv"
    lanes_path = f"{folder}/lanes.tsv"
    world.files[packages_path] = _table([transfer.row(world) for transfer in transfers])
    world.files[lanes_path] = _table([lane.row() for lane in wave.lanes.values()])
    world.files[document_path] = (
        f"# Dispatch wave wave-{wave_id}\n\n"
        f"The rules are in {world.names.pages[DISPATCH]}.\n\n"
        f"Packages: {packages_path}\nLanes: {lanes_path}\n"
    )
    mentioned_paths: list[str] = []
    for transfer in transfers:
        mentioned_paths += world.paths(
            transfer.product, transfer.origin, transfer.destination
        )
    return Truth(
        instruction=world.wording("dispatch-wave", path=document_path),
        # Only the form of an answer. There is no single right plan, so the measure scores it.
        message='{"assignments": []}',
        must_cite=(document_path, packages_path, lanes_path),
        may_cite=tuple(mentioned_paths),
        measure=DispatchMeasure(wave),
    )


def _draw_transfer(
    rng: Random, number: int, product: Product, branches: list[Store]
) -> Transfer:
    """Draw a transfer of one unit of a product between two branches."""
    origin, destination = rng.sample(branches, 2)
    due = rng.randint(8, 28)  # in the wave's units of time
    reason = rng.choice((LOW, SOON, LATER))
    # As in the public benchmark, the margin is about a third of the price, or a quarter. A
    # third is rounded as it is there: 1,000 -> 332.
    if reason == LOW:
        margin = (product.price_cents - 2) // 3
    else:
        margin = product.price_cents // 4
    margin = max(margin, LEAST_MARGIN_CENTS)
    package = Package(f"XFER-{number:03d}", origin.id, destination.id, due, margin)
    return Transfer(product, origin, destination, reason, package)


def _set_stock(world: World, transfer: Transfer) -> None:
    """Set the stock of both branches to fit the reason for the transfer.

    The origin has enough units. The destination has one, or none until a delivery arrives.
    """
    rng = world.rng
    sku = transfer.product.sku
    destination = transfer.destination
    set_available(world, transfer.origin, sku, rng.randint(4, 9))
    # Drawn for each reason, so that later draws do not depend on it.
    units = rng.randint(1, 4)
    if transfer.reason == LOW:
        set_available(world, destination, sku, 1)
        return

    if transfer.reason == SOON:
        arrives_in_days = rng.randint(1, 4)
    else:
        arrives_in_days = rng.randint(8, 14)
    delivery = Delivery(rng.randint(2, 9), in_days=arrives_in_days)
    all_reserved = Stock(on_hand=units, reserved=units, incoming=[delivery])
    destination.inventory[sku] = all_reserved
    # A branch's file lists its stock by SKU.
    destination.inventory = dict(sorted(destination.inventory.items()))


@dataclass(frozen=True, slots=True)
class _DrawnWave:
    """A wave with random lanes, and how hard it is to plan.

    It is hard if a naive plan, which routes each package as if it travelled alone, earns
    much less than a good plan, which a search finds.
    """

    wave: Wave
    naive_share: float
    """The gain of the best naive plan as a share of a good plan's gain: lower is harder."""

    def rank(self) -> tuple[float, str]:
        """Return the sort key, which is lowest for the hardest wave.

        If two waves are equally hard, the order of their tables of lanes decides.
        """
        table = _table([lane.row() for lane in self.wave.lanes.values()])
        return self.naive_share, table


def _with_hard_lanes(
    rng: Random, wave_without_lanes: Wave, transfers: Sequence[Transfer]
) -> Wave:
    """Return the wave with random lanes on which naive plans earn clearly less than a good plan.

    Waves are drawn until one is hard enough. After `MAX_DRAWS` of them, the hardest so far
    is taken, provided that a good plan earns more on it than naive ones.
    """
    drawn: list[_DrawnWave] = []
    while True:
        draw = _draw_wave(rng, wave_without_lanes, transfers)
        is_hard_enough = draw.naive_share <= MAX_NAIVE_SHARE
        if is_hard_enough:
            return draw.wave
        drawn.append(draw)
        hardest = min(drawn, key=_DrawnWave.rank)
        naive_plans_are_worse = hardest.naive_share < 1
        if len(drawn) >= MAX_DRAWS and naive_plans_are_worse:
            return hardest.wave


def _draw_wave(
    rng: Random, wave_without_lanes: Wave, transfers: Sequence[Transfer]
) -> _DrawnWave:
    """Return the wave with random lanes, and how hard they make it."""
    lanes = {lane.id: lane for lane in _draw_lanes(rng, transfers)}
    wave = replace(wave_without_lanes, lanes=lanes)
    naive_gain = max(mean_gain(wave, plan) for plan in naive_plans(wave))
    good_gain = mean_gain(wave, good_plan(wave))
    positive_good_gain = max(good_gain, 1)  # The divisor must not be 0.
    return _DrawnWave(wave, naive_gain / positive_good_gain)


HUBS: Final = ("hub-east", "hub-central", "hub-west")
"""Where packages change lanes."""
HUB_CONNECTIONS: Final = (
    ("hub-east", "hub-central"),
    ("hub-west", "hub-central"),
    ("hub-central", "hub-east"),
    ("hub-central", "hub-west"),
)
"""The lanes between hubs, by start and end."""


def _draw_lanes(rng: Random, transfers: Iterable[Transfer]) -> list[Lane]:
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


def _table(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a tab-separated table of at least one row, with the keys of the first as header."""
    lines = ["\t".join(rows[0])]
    for row in rows:
        lines.append("\t".join(str(cell) for cell in row.values()))
    return "".join(f"{line}\n" for line in lines)
