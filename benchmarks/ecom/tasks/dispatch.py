"""Dispatch waves: the tables of packages and lanes, the task to plan them, and the simulation that grades a plan.

Tables and trips follow the public benchmark's waves: integer time, one trip per lane and time unit, a delay drawn for
every trip. Two choices are ours: the score lies between the gains of naive plans and of the best known one, and the
rates of delays and costs differ by world, whose document on dispatch states them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import shake_128
from math import fsum
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.grader import Truth
from controlplane.benchmarks.ecom.world.company import DispatchRates, Product, Stock, Store
from controlplane.benchmarks.ecom.world.generator import DISPATCH, World
from controlplane.sandbox.interface import Plain

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
HUBS: Final = ("hub-east", "hub-central", "hub-west")
LOW: Final = "store has current stock, but available quantity is low"
SOON: Final = "store has no available units and incoming stock arrives soon"
LATER: Final = "store has no available units and incoming stock arrives later"

RUNS: Final = 24
PERIOD: Final = 64
"""The draws of a lane repeat after this many time units."""
NAIVE_SCORE: Final = 0.7
"""The score of the best plan that sends each package as if it travelled alone; the best known plan scores 1."""
HARDEST_OF, NAIVE_SHARE = 6, 0.96
"""Draws of the lanes of a wave; one is taken at once if naive plans earn at most this share of a good plan's gain."""
MOST_CHARS: Final = 100_000
SEARCHED_LANES, SEARCHED_ROUTES, SEARCHED_SWEEPS = 4, 4, 3
"""Limits of the solver's search: lanes of a route, routes of a package, and rounds of improvement."""

Plan = Mapping[str, tuple[int, tuple[str, ...]]]
"""Priority and route by package; a package without a usable route is absent."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package. `due` is in time units from the start of the wave."""

    id: str
    start: str
    end: str
    due: int
    margin_cents: int


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane, with the capacity and the cost of one trip, and its travel time without delay."""

    id: str
    start: str
    end: str
    capacity: int
    eta: int
    cost_cents: int
    frequency: str
    """Frequency of delays: `unlikely`, `often` or `likely`."""
    length: str
    """Length of delays: `short`, `medium` or `long`."""

    def row(self) -> dict[str, object]:
        """Return the lane as the table shows it."""
        hint = f"delays {self.frequency}; {self.length} when delayed"
        figures = {"capacity": self.capacity, "eta": self.eta, "cost_cents": self.cost_cents}
        return {
            "lane_id": self.id,
            "from": self.start,
            "to": self.end,
            **figures,
            "delay_hint": hint,
        }


@dataclass(frozen=True)
class Wave:
    """Packages and lanes by id, in the order of their tables."""

    id: str
    packages: Mapping[str, Package]
    lanes: Mapping[str, Lane]
    rates: DispatchRates

    @cached_property
    def departures(self) -> Mapping[str, list[Lane]]:
        """The lanes that leave each place."""
        lanes: dict[str, list[Lane]] = {}
        for lane in self.lanes.values():
            lanes.setdefault(lane.start, []).append(lane)
        return lanes

    @cached_property
    def delays(self) -> Mapping[str, Sequence[int]]:
        """The delays of each lane, `PERIOD` of them for each run. The wave alone fixes them, not the plan."""
        hints = {}
        for lane in self.lanes.values():
            drawn = shake_128(f"{self.id}|{lane.id}".encode()).digest(2 * RUNS * PERIOD)
            often = self.rates.frequency[lane.frequency] / 100 * 256
            shortest, longest = self.rates.length[lane.length]
            span = longest - shortest + 1
            hints[lane.id] = [
                shortest + drawn[at + 1] % span if drawn[at] < often else 0
                for at in range(0, len(drawn), 2)
            ]
        return hints

    @cached_property
    def ways(self) -> Mapping[str, Sequence[tuple[Lane, ...]]]:
        """The lanes of every route of each package that visits no place twice."""
        return {package.id: _ways(self, package) for package in self.packages.values()}

    @cached_property
    def routes(self) -> Mapping[str, Sequence[Route]]:
        """The routes of each package that are best when nothing else travels, the best first."""
        return {package.id: _routes(self, package) for package in self.packages.values()}

    def connects(self, package: Package, route: tuple[str, ...]) -> bool:
        """Say whether the lanes of a route exist and lead from the package's start to its end."""
        place = package.start
        for lane_id in route:
            lane = self.lanes.get(lane_id)
            if lane is None or lane.start != place:
                return False
            place = lane.end
        return place == package.end


@dataclass(frozen=True, slots=True)
class Played:
    """One run of a plan, in cents."""

    margin: int
    transport: int
    late_cost: int
    late: int
    """The number of packages that came late."""
    missed_cost: int
    missed: int

    @property
    def gain(self) -> int:
        """The remaining margin."""
        return self.margin - self.transport - self.late_cost - self.missed_cost


def arrivals(wave: Wave, plan: Plan, run: int | None = None) -> tuple[dict[str, int], int]:
    """Return the arrival of each package, and the cost of all trips in cents; without a run nothing is delayed."""
    queue: dict[int, list[tuple[str, int]]] = {0: [(package, 0) for package in plan]}
    waiting: dict[str, list[tuple[int, int, str, int]]] = {}
    order = {package: at for at, package in enumerate(wave.packages)}
    arrived: dict[str, int] = {}
    cost = time = 0
    while queue or waiting:
        for package, leg in queue.pop(time, ()):
            priority, route = plan[package]
            if leg == len(route):
                arrived[package] = time
            else:
                waiting.setdefault(route[leg], []).append((priority, order[package], package, leg))
        for lane_id in list(waiting):
            lane, line = wave.lanes[lane_id], waiting[lane_id]
            line.sort()
            delay = 0 if run is None else wave.delays[lane_id][run * PERIOD + time % PERIOD]
            there = queue.setdefault(time + max(lane.eta, 1) + delay, [])
            there += [(package, leg + 1) for _, _, package, leg in line[: lane.capacity]]
            cost += lane.cost_cents
            if len(line) > lane.capacity:
                waiting[lane_id] = line[lane.capacity :]
            else:
                del waiting[lane_id]
        time = time + 1 if waiting else min(queue, default=time)
    return arrived, cost


def play(wave: Wave, plan: Plan) -> list[Played]:
    """Return every run of a plan."""
    runs = []
    for run in range(RUNS):
        arrived, cost = arrivals(wave, plan, run)
        late = [
            units
            for package, time in arrived.items()
            if (units := time - wave.packages[package].due) > 0
        ]
        margin = sum(wave.packages[package].margin_cents for package in arrived)
        missed = len(wave.packages) - len(arrived)
        costs = (
            sum(late) * wave.rates.late_cents,
            len(late),
            missed * wave.rates.missed_cents,
            missed,
        )
        runs.append(Played(margin, cost, *costs))
    return runs


@dataclass(frozen=True, slots=True)
class Route:
    """One route of a package, with its time without delay and the probability of every sum of delays."""

    lanes: tuple[str, ...]
    time: int
    chances: tuple[tuple[int, float], ...]

    def late_units(self, spare: int) -> float:
        """Return the expected lateness in time units if `spare` of them are left without delay."""
        return sum(chance * (delay - spare) for delay, chance in self.chances if delay > spare)


def _route(lanes: tuple[Lane, ...], rates: DispatchRates) -> Route:
    chances = {0: 1.0}
    for lane in lanes:
        shortest, longest = rates.length[lane.length]
        often = rates.frequency[lane.frequency] / 100
        delays = {
            0: 1 - often,
            **dict.fromkeys(range(shortest, longest + 1), often / (longest - shortest + 1)),
        }
        sums: dict[int, float] = {}
        for delay, chance in chances.items():
            for more, likely in delays.items():
                sums[delay + more] = sums.get(delay + more, 0.0) + chance * likely
        chances = sums
    return Route(
        tuple(lane.id for lane in lanes), sum(lane.eta for lane in lanes), tuple(chances.items())
    )


def _ways(wave: Wave, package: Package) -> list[tuple[Lane, ...]]:
    """Return the lanes of every route of a package that visits no place twice."""
    routes: list[tuple[Lane, ...]] = []

    def walk(place: str, way: tuple[Lane, ...]) -> None:
        if place == package.end:
            routes.append(way)
        elif len(way) < SEARCHED_LANES:
            passed = {package.start, *(lane.end for lane in way)}
            for lane in wave.departures.get(place, ()):
                if lane.end not in passed:
                    walk(lane.end, (*way, lane))

    walk(package.start, ())
    return routes


def _routes(wave: Wave, package: Package) -> list[Route]:
    """Return the routes of a package that are best when nothing else travels."""
    trips = {
        _route(way, wave.rates): sum(lane.cost_cents for lane in way)
        for way in wave.ways[package.id]
    }

    def expected_cents(route: Route) -> float:
        return trips[route] + wave.rates.late_cents * route.late_units(package.due - route.time)

    return sorted(trips, key=expected_cents)[:SEARCHED_ROUTES]


def _plan(wave: Wave, chosen: Mapping[str, Route]) -> Plan:
    """Return the plan of these routes, the package with the least time to spare first."""
    by_slack = sorted(chosen, key=lambda package: wave.packages[package].due - chosen[package].time)
    return {package: (at, chosen[package].lanes) for at, package in enumerate(by_slack, start=1)}


Choice = Mapping[str, Route]
"""The route of each package."""


def _searched(wave: Wave, chosen: Choice, cost_of: Callable[[Choice], float]) -> Choice:
    """Return a choice in which no other single route costs less, or the one after the last sweep of the search."""
    best = cost_of(chosen)
    for _ in range(SEARCHED_SWEEPS):
        before = best
        for package in chosen:
            for way in wave.routes[package]:
                cost = cost_of({**chosen, package: way})
                if cost < best:
                    best, chosen = cost, {**chosen, package: way}
        if best == before:
            break
    return chosen


def _expected(wave: Wave) -> Choice:
    """Return a choice by local search on expected lateness."""

    def cost_of(chosen: Choice) -> float:
        arrived, cost = arrivals(wave, _plan(wave, chosen))
        late = (
            route.late_units(wave.packages[package].due - arrived[package])
            for package, route in chosen.items()
        )
        return cost + wave.rates.late_cents * sum(late)

    return _searched(
        wave, {package: routes[0] for package, routes in wave.routes.items() if routes}, cost_of
    )


def _rehearsed(wave: Wave, start: Choice) -> Choice:
    """Return a choice by local search on other draws of the delays than those that are graded."""
    rehearsal = replace(wave, id=f"{wave.id}|rehearsal")
    return _searched(wave, start, lambda chosen: -mean_gain(rehearsal, _plan(wave, chosen)))


def naive_plans(wave: Wave) -> list[Plan]:
    """Return plans that send each package as if it travelled alone: with fewest lanes, fastest, and cheapest."""

    def plan(measure: Callable[[tuple[Lane, ...]], int]) -> Plan:
        best = {package: min(ways, key=measure) for package, ways in wave.ways.items() if ways}
        return _plan(wave, {package: _route(way, wave.rates) for package, way in best.items()})

    measures = (
        len,
        lambda way: sum(lane.eta for lane in way),
        lambda way: sum(lane.cost_cents for lane in way),
    )
    return [plan(measure) for measure in measures]


def mean_gain(wave: Wave, plan: Plan) -> int:
    """Return the mean gain of a plan over all runs, in cents."""
    runs = play(wave, plan)
    return sum(run.gain for run in runs) // len(runs)


def plan_of(message: str, wave: Wave) -> tuple[Plan, list[str]]:
    """Return the plan in a message, without its unusable routes, and its faults.

    A package whose entry is missing, repeated, or of another shape, or whose route does not connect, has no route.
    """
    try:
        data = json.loads(message) if len(message) <= MOST_CHARS else None
    except (ValueError, RecursionError):
        data = None
    entries = data.get("assignments") if isinstance(data, dict) else None
    if not isinstance(entries, list) or len(entries) > MOST_CHARS // 100:
        return {}, [
            'answer is not a JSON object of the form {"assignments":[{"package_id","route":[...],"priority"}]}'
        ]
    given: dict[str, list[Mapping[str, Plain]]] = {}
    for entry in entries:
        if isinstance(entry, dict):
            given.setdefault(str(entry.get("package_id")), []).append(entry)
    faults = [
        f"there is no package {package!r}" for package in sorted(set(given) - set(wave.packages))
    ]
    plan: dict[str, tuple[int, tuple[str, ...]]] = {}
    for package in wave.packages.values():
        ways = given.get(package.id, [])
        usable = _assignment(ways[0]) if len(ways) == 1 else None
        if usable is None or not wave.connects(package, usable[1]):
            faults.append(
                f"package {package.id} has no usable route"
                if ways
                else f"package {package.id} is left out"
            )
        else:
            plan[package.id] = usable
    return plan, faults


def _assignment(entry: Mapping[str, Plain]) -> tuple[int, tuple[str, ...]] | None:
    """Return priority and route of an entry, or None if it has another shape."""
    route, priority = entry.get("route"), entry.get("priority")
    if not isinstance(route, list) or not 0 < len(route) <= 24 or isinstance(priority, bool):
        return None
    return (priority, tuple(map(str, route))) if isinstance(priority, int) else None


@dataclass(frozen=True)
class DispatchMeasure:
    """Grades plans for one wave by their mean gain over the same draws, between naive plans and the best known one."""

    wave: Wave

    @cached_property
    def best(self) -> Plan:
        """The best plan of several solvers; none of them knows the draws."""
        expected = _expected(self.wave)
        plans = (_plan(self.wave, chosen) for chosen in (expected, _rehearsed(self.wave, expected)))
        return max((*plans, *naive_plans(self.wave)), key=lambda plan: mean_gain(self.wave, plan))

    def score(self, gain: int) -> float:
        """Return the score of a mean gain in cents, 0 to 1."""
        if gain <= 0:
            return 0.0
        naive = max(mean_gain(self.wave, plan) for plan in naive_plans(self.wave))
        best = mean_gain(self.wave, self.best)
        if naive < gain < best:
            return NAIVE_SCORE + (1 - NAIVE_SCORE) * (gain - naive) / (best - naive)
        return 1.0 if gain >= best else NAIVE_SCORE * (gain / naive)

    def measure(self, message: str, refs: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """Return the score of a message, 0 to 1, and the outcome of its packages."""
        plan, faults = plan_of(message, self.wave)
        runs = play(self.wave, plan)
        gain = sum(run.gain for run in runs) // len(runs)
        score = self.score(gain)
        return score, (*faults, *_told(runs, len(self.wave.packages), gain, score))


def _told(runs: Sequence[Played], packages: int, gain: int, score: float) -> list[str]:
    def mean(name: str, cents: int = 1) -> float:
        return cents / 100 * fsum(getattr(run, name) for run in runs) / len(runs)

    missed, late = mean("missed", 100), mean("late", 100)
    return [
        f"dispatch packages delivered avg {packages - missed:.1f} of {packages}",
        f"dispatch money made avg EUR {mean('margin'):.2f} delivered margin",
        f"dispatch packages missed avg {missed:.1f}; late avg {late:.1f}",
        f"dispatch costs/penalties avg EUR {mean('transport'):.2f} transport; "
        f"EUR {mean('late_cost'):.2f} late; EUR {mean('missed_cost'):.2f} missed; "
        "EUR 0.00 invalid",
        f"dispatch resulting gain avg EUR {gain / 100:.2f}; max EUR {max(run.gain for run in runs) / 100:.2f}; "
        f"efficiency {score:.1%} (the best known plan: 100 %, the best naive one: {NAIVE_SCORE:.0%})",
    ]


Transfer = tuple[Product, Store, Store]
"""What is sent, with its origin and its destination."""


def _lanes(rng: Random, transfers: Iterable[Transfer]) -> list[Lane]:
    """Return the lanes between hubs, between each branch and its hub, and from start to end of each transfer."""

    def lane(
        start: str,
        end: str,
        figures: tuple[int, int, int],
        hint: tuple[str, str],
        kind: str = "lane",
    ) -> Lane:
        return Lane(f"{kind}-{start}-{end}", start, end, *figures, *hint)

    def hub_hint() -> tuple[str, str]:
        often = rng.choices(("unlikely", "likely"), (40, 1))[0]
        return often, rng.choices(("short", "medium"), (6, 1))[0]

    stores = {store.id: store for _, *places in transfers for store in places}
    cities = sorted({store.city for store in stores.values()})
    lanes = []
    for start, end in ((0, 1), (2, 1), (1, 0), (1, 2)):
        lanes.append(lane(HUBS[start], HUBS[end], (4, 4, 260), hub_hint()))
    for store in stores.values():
        hub = HUBS[cities.index(store.city) % len(HUBS)]
        for places in ((store.id, hub), (hub, store.id)):
            figures = (rng.randint(1, 3), rng.randint(1, 3), rng.randint(90, 210))
            lanes.append(lane(*places, figures, hub_hint()))
    for places in dict.fromkeys((start.id, end.id) for _, start, end in transfers):
        hint = (
            rng.choices(("unlikely", "often", "likely"), (4, 1, 4))[0],
            rng.choice(("short", "medium", "long")),
        )
        lanes.append(
            lane(*places, (1, rng.randint(5, 12), rng.randint(530, 975)), hint, "lane-direct")
        )
    return lanes


def _hard_wave(rng: Random, wave: Wave, transfers: Sequence[Transfer]) -> Wave:
    """Return a wave on whose lanes naive plans earn clearly less than a good one, or the hardest of several."""
    drawn = list[tuple[float, str, Wave]]()
    while len(drawn) < HARDEST_OF or min(drawn)[0] >= 1:
        wave = replace(wave, lanes={lane.id: lane for lane in _lanes(rng, transfers)})
        good = max(mean_gain(wave, _plan(wave, _expected(wave))), 1)
        share = max(mean_gain(wave, plan) for plan in naive_plans(wave)) / good
        if share <= NAIVE_SHARE:
            return wave
        drawn.append((share, _table(lane.row() for lane in wave.lanes.values()), wave))
    return min(drawn)[2]


def _table(rows: Iterable[Mapping[str, object]]) -> str:
    (first, *_) = listed = [*rows]
    return "".join(
        "\t".join(map(str, row)) + "\n" for row in (first, *(row.values() for row in listed))
    )


def _stock(world: World, transfer: Transfer, reason: str) -> None:
    """Give both branches the stock that the reason of the transfer mentions."""
    rng, (product, start, end) = world.rng, transfer
    world.set_available(start, product.sku, rng.randint(4, 9))
    held = rng.randint(1, 4)
    if reason == LOW:
        world.set_available(end, product.sku, 1)
        return
    due = rng.randint(1, 4) if reason == SOON else rng.randint(8, 14)
    end.inventory[product.sku] = Stock(held, held, [(rng.randint(2, 9), due)])
    end.inventory = dict(sorted(end.inventory.items()))


def dispatch_wave(world: World, variant: int) -> Truth:
    """Request the plan of one wave: ten packages over hubs and direct lanes with delays."""
    rng = world.rng
    world.sign_in_employee()
    stores, transfers = (
        rng.sample(list(world.stores.values()), min(len(world.stores), 11)),
        list[Transfer](),
    )
    packages, rows = dict[str, Package](), list[dict[str, object]]()
    for number, product in enumerate(rng.sample(world.catalogue.shelf, 10), start=1):
        start, end = rng.sample(stores, 2)
        due, reason = rng.randint(8, 28), rng.choice((LOW, SOON, LATER))
        # The margin follows the rule of the public benchmark's waves.
        margin = max(
            (product.price_cents - 2) // 3 if reason == LOW else product.price_cents // 4, 900
        )
        package = Package(f"XFER-{number:03d}", start.id, end.id, due, margin)
        row = {
            "package_id": package.id,
            "sku": product.sku,
            "product_ref": world.path(product),
            "from_store_id": start.id,
            "from_store_ref": world.path(start),
            "to_store_id": end.id,
            "to_store_ref": world.path(end),
            "due_time": due,
            "margin_cents": margin,
            "reason": reason,
        }
        packages[package.id] = package
        rows.append(row)
        transfers.append((product, start, end))
    for transfer, row in zip(transfers, rows, strict=True):
        _stock(world, transfer, str(row["reason"]))
    wave_id = "".join(rng.choices(LETTERS, k=8))
    folder = f"/ops/dispatch/wave-{wave_id}"
    head, listed, lanes = (
        f"{folder}/{name}" for name in ("dispatch.md", "packages.tsv", "lanes.tsv")
    )
    wave = _hard_wave(rng, Wave(wave_id, packages, {}, world.policy.rates), transfers)
    world.files[listed] = _table(rows)
    world.files[lanes] = _table(lane.row() for lane in wave.lanes.values())
    world.files[head] = (
        f"# Dispatch wave wave-{wave_id}\n\nThe rules are in {world.names.documents[DISPATCH]}.\n\n"
        f"Packages: {listed}\nLanes: {lanes}\n"
    )
    return Truth(
        instruction=world.say("dispatch-wave", path=head),
        message='{"assignments": []}',
        records=(head, listed, lanes),
        tolerated=world.paths(*(record for transfer in transfers for record in transfer)),
        measure=DispatchMeasure(wave),
    )
