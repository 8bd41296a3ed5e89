"""The task to plan a dispatch wave: its lanes and waves, plans for it and their score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import shake_128
from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.tasks.family import Bar, Family
from controlplane.benchmarks.ecom.tasks.truth import Measured, TaskTruth
from controlplane.benchmarks.ecom.world.company import DispatchRates
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.purchases import set_available
from controlplane.benchmarks.ecom.world.records import (
    Delivery,
    SoldProduct,
    Stock,
    Store,
)
from controlplane.benchmarks.ecom.world.world import (
    World,
    random_id,
    sign_in_employee,
    table_text,
)
from controlplane.benchmarks.shop.dispatch import (
    Lane,
    Package,
    Route,
    RouteChoice,
    Simulation,
    by_priority,
    lanes_by_origin,
    route_choices,
    routes,
    simulated,
    simulated_plan,
)
from controlplane.sandbox.interface import Plain
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# Lanes: connections of two places over which the packages of a dispatch wave travel.
#
# A lane leads from Breda to a hub, or from there to Utrecht. Time is counted in whole units, a
# lane makes at most one trip per unit, and each trip has a random delay. How often and how
# long lanes are delayed differs by world; the world's page on dispatch states these rates.

_RUNS: Final = 24
"""A plan is simulated so many times with different delays, and graded by its mean gain."""
_PERIOD: Final = 64
"""The time units of a run for which delays are drawn. After them, the delays repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchLane(Lane):
    """One lane, from a branch or a hub to another one, with the words for its delays."""

    delay_frequency: str
    """`unlikely`, `often` or `likely`. What that means in percent is in `DispatchRates`."""
    delay_length: str
    """`short`, `medium` or `long`."""

    @property
    def hint(self) -> str:
        """The words for its delays, as the table of lanes has them."""
        return f"delays {self.delay_frequency}; {self.delay_length} when delayed"

    def row(self) -> dict[str, object]:
        """Return the lane as a row of the table of lanes."""
        return {
            "lane_id": self.id,
            "from": self.origin,
            "to": self.destination,
            "capacity": self.capacity,
            "eta": self.eta,
            "cost_cents": self.cost_cents,
            "delay_hint": self.hint,
        }


# Dispatch waves: the packages that branches send to each other, and the lanes for them.
#
# A package goes from Breda to Utrecht, over a lane from Breda to a hub and another one from
# there to Utrecht. All packages of a wave travel at the same time, and share the lanes. A
# task shows both in tables, which follow those of the public benchmark (BitGN ECOM).


@dataclass(frozen=True)
class Wave:
    """The packages and lanes of a wave by id, in the order of their tables."""

    id: str
    packages: Mapping[str, Package]
    lanes: Mapping[str, DispatchLane]
    rates: DispatchRates
    """How often and how long lanes are delayed, and what lateness costs, in this world."""

    @cached_property
    def lanes_from(self) -> Mapping[str, Sequence[Lane]]:
        """The lanes that start at each place, with the probabilities of their delays."""
        lanes = []
        for lane in self.lanes.values():
            lanes.append(replace(lane, delays=self.rates.chances(lane.hint)))
        return lanes_by_origin(lanes)

    @cached_property
    def _random_bytes(self) -> Mapping[str, bytes]:
        """Two random bytes for each time unit of each run, by the id of a lane.

        They follow from a hash of the ids of the wave and the lane, so they are the same in each
        process and for each plan, whatever is drawn elsewhere.
        """
        random_bytes = {}
        for lane_id in self.lanes:
            seed = f"{self.id}|{lane_id}".encode()
            random_bytes[lane_id] = shake_128(seed).digest(2 * _RUNS * _PERIOD)
        return random_bytes

    def delay(self, lane: Lane, run: int, time: int) -> int:
        """Return the delay, in time units, of a lane's trip that starts at this time of a run.

        The delays of a run, one of the `_RUNS` simulations, repeat after `_PERIOD` time units.
        """
        words = self.lanes[lane.id]
        index = 2 * (run * _PERIOD + time % _PERIOD)
        # The first byte, one of 256 values, decides if there is a delay; the second, how long it is.
        occurrence, length = self._random_bytes[lane.id][index : index + 2]
        delayed_share = self.rates.delayed_percent[words.delay_frequency] / 100
        if occurrence >= delayed_share * 256:
            return 0
        shortest, longest = self.rates.delay_units[words.delay_length]
        return shortest + length % (longest - shortest + 1)

    def table_of_lanes(self) -> str:
        """Return the lanes as a tab-separated table with a header, as a task shows them."""
        return table_text([lane.row() for lane in self.lanes.values()])

    def connects(self, package: Package, route: tuple[str, ...]) -> bool:
        """Return True if a route's lanes exist and lead from the package's start to its end.

        `("lane-a-hub", "lane-hub-b")` connects a package from `a` to `b`, and no other.
        """
        place = package.origin
        for lane_id in route:
            lane = self.lanes.get(lane_id)
            if lane is None or lane.origin != place:
                return False
            place = lane.destination
        return place == package.destination


# Simulates a plan for a dispatch wave: when each package arrives, and what the trips cost.
#
# A plan gives each package a route and a priority. In each time unit, each lane with waiting
# packages makes one trip. So at a full lane, the packages with the lowest priority number
# travel first, and others wait. Trips follow those of the public benchmark (BitGN ECOM).


class _PackageAssignment(NamedTuple):
    """The priority and the route of one package."""

    priority: int
    """At a full lane, packages with the lowest number go first."""
    route: tuple[str, ...]
    """The ids of the package's lanes, in order."""


Plan = Mapping[str, _PackageAssignment]
"""The assignment of each package by its id. A package without a usable route is missing."""


def _simulate(wave: Wave, plan: Plan, run: int) -> Simulation:
    """Simulate the trips of a plan's packages, with the delays of one run.

    At a full lane, the lowest priority number goes first; between equal ones, the order of the
    table of packages decides.
    """
    row_of_package = {package: row for row, package in enumerate(wave.packages)}
    lanes_of_package = {}
    for package_id, assignment in plan.items():
        lanes_of_package[package_id] = [wave.lanes[id_] for id_ in assignment.route]

    def rank(package_id: str) -> tuple[int, int]:
        return plan[package_id].priority, row_of_package[package_id]

    def delay_at(lane: Lane, time: int) -> int:
        return wave.delay(lane, run, time)

    return simulated(lanes_of_package, sorted(plan, key=rank), delay_at)


_Choice = Mapping[str, RouteChoice]
"""One route for each package, by the package's id. With priorities, it becomes a `Plan`."""


def _plan_of_choice(choice: _Choice) -> Plan:
    """Return the plan with these routes, in which each package has a priority as well.

    Packages with little time to spare go first: one that is due at 12 and travels for 10
    units comes before one that is due at 8 and travels for 4.
    """
    plan = {}
    for priority, package_id in enumerate(by_priority(choice), start=1):
        lane_ids = tuple(lane.id for lane in choice[package_id].route)
        plan[package_id] = _PackageAssignment(priority, lane_ids)
    return plan


# Transfers: products that one branch sends to another, because stock is short there.
#
# One unit of a tent goes from Breda to Utrecht, since Utrecht has one left. The transfer is a
# package of a dispatch wave, with a time by which it is due, and a margin. The stock of both
# branches is set to fit the reason for the transfer.

_LEAST_MARGIN_CENTS: Final = 900
"""The least margin of a package, however cheap its product is."""

# Why a package is sent: the state of the stock at the branch that needs the product.
_LOW: Final = "store has current stock, but available quantity is low"
_SOON: Final = "store has no available units and incoming stock arrives soon"
_LATER: Final = "store has no available units and incoming stock arrives later"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One unit of a product that is sent from one branch to another."""

    product: SoldProduct
    origin: Store
    destination: Store
    reason: str
    """Why it is sent: the state of the destination's stock, such as `_SOON`."""
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


def _draw_transfer(
    world: World, number: int, product: SoldProduct, branches: list[Store]
) -> Transfer:
    """Return a transfer of one unit of a product between two branches, drawn at random.

    `number` counts the packages of a wave: 3 -> the package `XFER-003`.
    """
    rng = world.rng
    origin, destination = rng.sample(branches, 2)
    due = rng.randint(8, 28)  # in the wave's units of time
    reason = rng.choice((_LOW, _SOON, _LATER))
    # The margin is computed as in the public benchmark. It is about a third of the price if the
    # stock is low, rounded down a little further (1,000 -> 332), else a quarter.
    if reason == _LOW:
        margin = (product.price_cents - 2) // 3
    else:
        margin = product.price_cents // 4
    package = Package(
        id=f"XFER-{number:03d}",
        origin=origin.id,
        destination=destination.id,
        due=due,
        margin_cents=max(margin, _LEAST_MARGIN_CENTS),
        late_cents_per_unit=world.policy.rates.late_cents,
    )
    return Transfer(product, origin, destination, reason, package)


def _set_stock(world: World, transfer: Transfer) -> None:
    """Set the stock of both branches to fit the reason for the transfer.

    The origin has enough units. The destination has one (`_LOW`), or none until a delivery
    arrives in some days (`_SOON`) or in a week or two (`_LATER`).
    """
    rng = world.rng
    sku = transfer.product.sku
    destination = transfer.destination
    set_available(world, transfer.origin, sku, rng.randint(4, 9))
    # Drawn for each reason, so that later draws do not depend on it.
    units = rng.randint(1, 4)
    if transfer.reason == _LOW:
        set_available(world, destination, sku, 1)
        return

    if transfer.reason == _SOON:
        arrives_in_days = rng.randint(1, 4)
    else:
        arrives_in_days = rng.randint(8, 14)
    delivery = Delivery(rng.randint(2, 9), in_days=arrives_in_days)
    all_reserved = Stock(on_hand=units, reserved=units, incoming=[delivery])
    destination.inventory[sku] = all_reserved
    # A branch's file lists its stock by SKU.
    destination.inventory = dict(sorted(destination.inventory.items()))


# The task to plan a dispatch wave.
#
# A wave is a set of packages that branches send to each other, at the same time, over
# lanes: cheap ones by way of hubs, and expensive direct ones. A plan gives each package a
# route and a priority. Packages and lanes are in two tables, which the request points to.
# There is no single right plan: an answer is scored by what its plan earns.

# Naive plans for a dispatch wave: each package is routed as if it travelled alone.
#
# A wave is a set of packages that are sent at the same time, over lanes that carry only a few
# each. So a plan that takes the cheapest lanes for every package makes them wait for each
# other. Good plans must earn more than these.


def _naive_plans(wave: Wave) -> list[Plan]:
    """Return three plans that route each package as if it travelled alone.

    The first takes the fewest lanes, the second the fastest, the third the cheapest. A package
    without possible lanes is missing in the plans.
    """
    plans = []
    for measure in (len, _travel_time, _cost_cents_of):
        choice = {}
        for package in wave.packages.values():
            route = min(routes(package, wave.lanes_from), key=measure, default=None)
            if route is not None:
                choice[package.id] = RouteChoice(package, route, {})
        plans.append(_plan_of_choice(choice))
    return plans


def _travel_time(route: Route) -> int:
    """Return the time units that trips over these lanes take without delay."""
    return sum(lane.eta for lane in route)


def _cost_cents_of(route: Route) -> int:
    """Return the cost of one trip on each of these lanes."""
    return sum(lane.cost_cents for lane in route)


def _naive_gain(wave: Wave) -> int:
    """Return the mean gain of the best naive plan."""
    return max(mean_gain(wave, plan) for plan in _naive_plans(wave))


# The plan for a dispatch wave that an answer gives as JSON.
#
#     {"assignments": [{"package_id": "XFER-001", "route": ["lane-a-hub", "lane-hub-b"],
#                       "priority": 1}]}
#
# Whatever is wrong with it is a fault, which is shown with the score. The readable part of a
# faulty plan still counts: a package without a usable route just never arrives.

_MAX_MESSAGE_CHARS: Final = 100_000
"""A longer message is not read. A plan for ten packages has about 1,000 characters."""
_MAX_ENTRIES: Final = 1_000
"""The most assignments in a message."""
_MAX_ROUTE_LANES: Final = 24
"""The most lanes of a route. Good routes have at most four."""


class ReadPlan(NamedTuple):
    """The readable part of a plan in a message, and its faults."""

    plan: Plan
    """Has only packages with a usable route: one that leads from their start to their end."""
    faults: list[str]
    """What is wrong with the plan, one sentence each."""


def plan_of(message: str, wave: Wave) -> ReadPlan:
    """Return the plan in a message, with its faults: `["package XFER-003 is left out"]`.

    A package has no route if its entry is missing, repeated or malformed, or if its
    route does not connect. If the message is not a plan at all, no package has one.
    """
    entries = _entries_of(message)
    if entries is None:
        fault = (
            'answer is not a JSON object of the form {"assignments":'
            '[{"package_id","route":[...],"priority"}]}'
        )
        return ReadPlan({}, [fault])
    entries_of_package: dict[str, list[Mapping[str, Plain]]] = {}
    for entry in entries:
        if isinstance(entry, dict):
            package_id = str(entry.get("package_id"))
            entries_of_package.setdefault(package_id, []).append(entry)

    unknown_packages = sorted(set(entries_of_package) - set(wave.packages))
    faults = [f"there is no package {package!r}" for package in unknown_packages]
    plan: dict[str, _PackageAssignment] = {}
    for package in wave.packages.values():
        package_entries = entries_of_package.get(package.id)
        if not package_entries:
            faults.append(f"package {package.id} is left out")
            continue
        # Of several entries, none can be preferred.
        assignment = _assignment_of(package_entries[0])
        is_only = len(package_entries) == 1
        if is_only and assignment and wave.connects(package, assignment.route):
            plan[package.id] = assignment
        else:
            faults.append(f"package {package.id} has no usable route")
    return ReadPlan(plan, faults)


def _entries_of(message: str) -> list[Plain] | None:
    """Return the list `assignments` of a message; None if it is malformed or too long."""
    if len(message) > _MAX_MESSAGE_CHARS:
        return None
    try:
        data = read_json(message)
    except Unreadable:
        return None
    if not isinstance(data, dict):
        return None
    entries = data.get("assignments")
    if not isinstance(entries, list) or len(entries) > _MAX_ENTRIES:
        return None
    return entries


def _assignment_of(entry: Mapping[str, Plain]) -> _PackageAssignment | None:
    """Return the route and priority in an entry; None if it is malformed.

    `{"package_id": "XFER-001", "route": ["lane-a-b"], "priority": 1}`
    -> `Assignment(1, ("lane-a-b",))`
    """
    route = entry.get("route")
    priority = entry.get("priority")
    if not isinstance(route, list) or not 0 < len(route) <= _MAX_ROUTE_LANES:
        return None
    if not isinstance(priority, int) or isinstance(priority, bool):
        return None
    return _PackageAssignment(priority, tuple(str(lane_id) for lane_id in route))


# What a plan for a dispatch wave earns: the margin of its packages minus the costs.
#
# A plan is simulated several times with different random delays; each time is a run. A run
# costs its trips, each unit of time by which a package is late, and each package that never
# arrives. A plan is judged by its mean gain over all runs.


class _PlanResult(NamedTuple):
    """What one run of a plan earns and costs."""

    margin_cents: int
    """The margin of all packages that arrived, even late."""
    transport_cents: int
    """The cost of all trips."""
    late_packages: int
    """The number of packages that arrived after they were due."""
    late_cents: int
    """What their lateness costs."""
    missed_packages: int
    """The number of packages that never arrived."""
    missed_cents: int
    """What their loss costs."""

    @property
    def gain(self) -> int:
        """The margin minus all costs, in cents."""
        costs = self.transport_cents + self.late_cents + self.missed_cents
        return self.margin_cents - costs


def _run_result(wave: Wave, plan: Plan, run: int) -> _PlanResult:
    """Return what a plan earns and costs with the delays of one run.

    A late package still earns its margin, but costs an amount for each unit of time.
    """
    trips = _simulate(wave, plan, run)
    margin_cents = 0
    late_packages = 0
    late_units = 0
    for package_id, arrival in trips.arrivals.items():
        package = wave.packages[package_id]
        margin_cents += package.margin_cents
        if arrival > package.due:
            late_packages += 1
            late_units += arrival - package.due
    missed_packages = len(wave.packages) - len(trips.arrivals)
    return _PlanResult(
        margin_cents=margin_cents,
        transport_cents=trips.trip_cents,
        late_packages=late_packages,
        late_cents=late_units * wave.rates.late_cents,
        missed_packages=missed_packages,
        missed_cents=missed_packages * wave.rates.missed_cents,
    )


def mean_gain(wave: Wave, plan: Plan) -> int:
    """Return the mean gain of a plan over all runs, in whole cents."""
    return sum(_run_result(wave, plan, run).gain for run in range(_RUNS)) // _RUNS


# Finds good plans for dispatch waves, by a local search.
#
# A search begins with the cheapest route of each package, and then changes one route at a
# time while that lowers the cost of all. One search estimates the cost by mean delays, the
# other by a rehearsal: a simulation with random delays. Neither uses the delays by which
# answers are graded.

_MAX_ROUTES_PER_PACKAGE: Final = 4
"""The number of cheapest routes that the search tries for each package."""
_MAX_SWEEPS: Final = 3
"""The most times that the search goes over all packages. It stops earlier if nothing improves."""


def _best_known_plan(wave: Wave) -> Plan:
    """Return the best of the plans from two searches and the naive plans.

    The second search begins where the first one ends.
    """
    choices = _promising_choices(wave)
    first_choice = _search_by_expected_lateness(wave, choices)
    second_choice = _search_by_rehearsal(wave, choices, start=first_choice)
    plans = [_plan_of_choice(first_choice), _plan_of_choice(second_choice)]
    plans += _naive_plans(wave)
    return max(plans, key=lambda plan: mean_gain(wave, plan))


def _good_plan(wave: Wave) -> Plan:
    """Return the plan that the faster of the two searches finds."""
    return _plan_of_choice(_search_by_expected_lateness(wave, _promising_choices(wave)))


def _promising_choices(wave: Wave) -> dict[str, list[RouteChoice]]:
    """Return the few routes of each package that the search tries, the cheapest first."""
    promising = {}
    for package in wave.packages.values():
        choices = route_choices(package, wave.lanes_from)
        promising[package.id] = choices[:_MAX_ROUTES_PER_PACKAGE]
    return promising


def _search_by_expected_lateness(
    wave: Wave, choices: Mapping[str, Sequence[RouteChoice]]
) -> _Choice:
    """Return the routes with the lowest cost of trips and of expected lateness.

    `choices` are those to try for each package, the cheapest first. A package without any
    is left out of the result.
    """

    def cost_of(choice: _Choice) -> float:
        trips = simulated_plan(choice)
        late_units = 0.0
        for package_id, route in choice.items():
            # The units of time that the package could still lose without being late.
            spare = route.package.due - trips.arrivals[package_id]
            late_units += route.expected_lateness(spare)
        return trips.trip_cents + wave.rates.late_cents * late_units

    cheapest = {}
    for package_id, choices_to_try in choices.items():
        if choices_to_try:
            cheapest[package_id] = choices_to_try[0]
    return _improved(cheapest, choices, cost_of)


def _search_by_rehearsal(
    wave: Wave, choices: Mapping[str, Sequence[RouteChoice]], start: _Choice
) -> _Choice:
    """Return the routes with the highest gain in a simulation (a rehearsal).

    It begins with the routes `start`. Its delays are not those that the plan is graded with.
    """
    # The delays depend on the id of the wave, so another id gives others.
    rehearsal = replace(wave, id=f"{wave.id}|rehearsal")

    def cost_of(choice: _Choice) -> float:
        return -mean_gain(rehearsal, _plan_of_choice(choice))

    return _improved(start, choices, cost_of)


def _improved(
    choice: _Choice,
    choices: Mapping[str, Sequence[RouteChoice]],
    cost_of: Callable[[_Choice], float],
) -> _Choice:
    """Change one package's route at a time while that lowers the cost, and return the result.

    A sweep tries every route of every package in turn. The search ends after a sweep that
    improves nothing, and after `_MAX_SWEEPS` sweeps in any case.
    """
    best_choice = choice
    best_cost = cost_of(choice)
    for _ in range(_MAX_SWEEPS):
        cost_before = best_cost
        for package_id in choice:
            for route in choices[package_id]:
                if route is best_choice[package_id]:
                    continue  # Its cost is `best_cost`.
                changed_choice = {**best_choice, package_id: route}
                cost = cost_of(changed_choice)
                if cost < best_cost:
                    best_cost = cost
                    best_choice = changed_choice
        if best_cost == cost_before:
            break
    return best_choice


# The score of a plan for a dispatch wave.
#
# A wave is a set of packages that branches send to each other at the same time. A plan gives
# each package a route and a priority. It is simulated with random delays. Its gain, the margin of
# the packages minus the costs, is compared with that of naive plans and of the best known plan.

_NAIVE_SCORE: Final = 0.7
"""The score of the best naive plan; the best known plan scores 1. This scale is our choice."""


@dataclass(frozen=True)
class DispatchMeasure:
    """Scores plans for one wave: the packages and lanes that a task is about.

    A plan is simulated many times with random delays, which are the same for all plans.
    Its score follows from its mean gain, compared with naive plans (each package is
    routed as if it travelled alone) and the best known plan.
    """

    wave: Wave

    @cached_property
    def best(self) -> Plan:
        """The best known plan."""
        return _best_known_plan(self.wave)

    def score(self, gain: int) -> float:
        """Return the score of a mean gain in cents, from 0 to 1.

        It rises linearly from 0 to `_NAIVE_SCORE` for the best naive plan, and from there
        to 1 for the best known plan. If these earn 200 and 300 cents, 100 -> 0.35, 250 -> 0.85.
        """
        if gain <= 0:
            return 0.0
        # From here on the gain is positive.
        naive_gain = _naive_gain(self.wave)
        best_gain = mean_gain(self.wave, self.best)
        if gain >= best_gain:
            return 1.0
        if gain > naive_gain:
            further = (
                (1 - _NAIVE_SCORE) * (gain - naive_gain) / (best_gain - naive_gain)
            )
            return _NAIVE_SCORE + further
        # The naive gain is at least `gain`, so it is positive, too.
        return _NAIVE_SCORE * (gain / naive_gain)

    def measure(self, message: str, refs: Sequence[str]) -> Measured:
        """Return the score of the plan in a message, and the outcome for its packages."""
        plan, faults = plan_of(message, self.wave)
        results = [_run_result(self.wave, plan, run) for run in range(_RUNS)]
        gain = sum(result.gain for result in results) // _RUNS
        score = self.score(gain)
        explanation = _explanation(results, len(self.wave.packages), gain, score)
        return Measured(score, (*faults, *explanation))


def _explanation(
    results: Sequence[_PlanResult], packages: int, gain: int, score: float
) -> list[str]:
    """Return the outcome of a plan, averaged over its runs, as the public benchmark words it.

    `gain` is the mean gain in cents. The cost of invalid routes is always 0 here: a package
    with one counts as missed.
    """
    totals = _PlanResult(*map(sum, zip(*results, strict=True)))

    def mean_euros(cents: float) -> str:
        return f"EUR {0.01 * cents / _RUNS:.2f}"

    missed = totals.missed_packages / _RUNS
    highest_gain = max(result.gain for result in results)
    return [
        f"dispatch packages delivered avg {packages - missed:.1f} of {packages}",
        f"dispatch money made avg {mean_euros(totals.margin_cents)} delivered margin",
        f"dispatch packages missed avg {missed:.1f}; late avg {totals.late_packages / _RUNS:.1f}",
        f"dispatch costs/penalties avg {mean_euros(totals.transport_cents)} transport; "
        f"{mean_euros(totals.late_cents)} late; {mean_euros(totals.missed_cents)} missed; "
        "EUR 0.00 invalid",
        f"dispatch resulting gain avg EUR {gain / 100:.2f}; max EUR {highest_gain / 100:.2f}; "
        f"efficiency {score:.1%} "
        f"(the best known plan: 100 %, the best naive one: {_NAIVE_SCORE:.0%})",
    ]


# Random lanes for a dispatch wave: between hubs, to and from hubs, and direct ones.
#
# A lane is a connection of two places over which packages travel. Breda to Utrecht takes two
# or more lanes by way of hubs, which are cheap and rarely delayed but slow, or one direct
# lane, which is expensive and often delayed.

_HUBS: Final = ("hub-east", "hub-central", "hub-west")
"""Where packages change lanes."""
_HUB_CONNECTIONS: Final = (
    ("hub-east", "hub-central"),
    ("hub-west", "hub-central"),
    ("hub-central", "hub-east"),
    ("hub-central", "hub-west"),
)
"""The lanes between hubs, each as its start and its end."""


def _draw_lanes(rng: Random, transfers: Iterable[Transfer]) -> list[DispatchLane]:
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
    for start, end in _HUB_CONNECTIONS:
        # Lanes between hubs differ only in their delays.
        delays = _draw_rare_delays(rng)
        lanes.append(_lane(start, end, (4, 4, 260), delays))
    # All branches of a city use the same hub.
    cities = sorted({store.city for store in stores.values()})
    for store in stores.values():
        hub = _HUBS[cities.index(store.city) % len(_HUBS)]
        for start, end in ((store.id, hub), (hub, store.id)):
            # A lane between a branch and its hub is cheap and rarely delayed.
            numbers = rng.randint(1, 3), rng.randint(1, 3), rng.randint(90, 210)
            lanes.append(_lane(start, end, numbers, _draw_rare_delays(rng)))
    for start, end in pairs_of_stores:
        # A lane between two branches is expensive and often delayed.
        frequency = rng.choices(("unlikely", "often", "likely"), (4, 1, 4))[0]
        delays = frequency, rng.choice(("short", "medium", "long"))
        numbers = 1, rng.randint(5, 12), rng.randint(530, 975)
        lanes.append(_lane(start, end, numbers, delays, name="lane-direct"))
    return lanes


def _lane(
    start: str,
    end: str,
    numbers: tuple[int, int, int],
    delays: tuple[str, str],
    name: str = "lane",
) -> DispatchLane:
    """Return a lane between two places.

    `numbers` are its packages and its time units for each trip, and the cost of a trip in cents.
    `delays` are the words for how often and how long it is delayed.
    """
    capacity, eta, cost_cents = numbers
    frequency, length = delays
    return DispatchLane(
        id=f"{name}-{start}-{end}",
        origin=start,
        destination=end,
        capacity=capacity,
        eta=eta,
        cost_cents=cost_cents,
        delay_frequency=frequency,
        delay_length=length,
    )


def _draw_rare_delays(rng: Random) -> tuple[str, str]:
    """Return how often and how long a lane to or from a hub is delayed: rarely.

    Only one lane in 41 often is, and one in 7 for longer.
    """
    frequency = rng.choices(("unlikely", "likely"), (40, 1))[0]
    return frequency, rng.choices(("short", "medium"), (6, 1))[0]


# Draws dispatch waves on which naive plans earn clearly less than good ones.
#
# A wave is a set of packages, and of lanes over which they are sent. A naive plan routes each
# package as if it travelled alone; a good plan is found by a search. A wave on which both
# earn the same would not tell them apart, so lanes are drawn again until a wave is hard.

_MAX_NAIVE_SHARE: Final = 0.96
"""On a hard wave, naive plans earn at most this share of the gain of a good plan."""
_DEMANDING_DRAWS: Final = 6
"""After so many waves none of which is hard, one is enough on which naive plans earn any less."""


def _with_hard_lanes(
    rng: Random, wave_without_lanes: Wave, transfers: Sequence[Transfer]
) -> Wave:
    """Return the wave with random lanes on which naive plans earn clearly less than a good plan.

    Lanes are drawn again and again until the hardest wave so far is hard enough.
    """
    hardest = wave_without_lanes
    least_share = math.inf
    draws = 0
    while True:
        lanes = {lane.id: lane for lane in _draw_lanes(rng, transfers)}
        wave = replace(wave_without_lanes, lanes=lanes)
        draws += 1
        # The gain of the best naive plan as a share of a good plan's gain: lower is harder
        good_gain = max(
            mean_gain(wave, _good_plan(wave)), 1
        )  # The divisor must not be 0.
        share = _naive_gain(wave) / good_gain
        # If two waves are equally hard, the order of their tables of lanes decides.
        rank = (share, wave.table_of_lanes())
        if draws == 1 or rank < (least_share, hardest.table_of_lanes()):
            hardest = wave
            least_share = share
        if least_share <= _MAX_NAIVE_SHARE:
            return hardest
        if draws >= _DEMANDING_DRAWS and least_share < 1:
            return hardest


_MAX_BRANCHES: Final = 11
"""The most branches between which a wave sends packages."""
_PACKAGES: Final = 10
"""The number of packages in a wave."""


def _dispatch_wave(world: World, _case: str) -> TaskTruth:
    """Ask, as an employee, for the plan of one wave: ten packages over hubs and direct lanes.

    Right: a JSON plan with a connected route and a priority for every package, with the
    gain of the best known plan. Lower gains score less.

    Wrong: plan each package as if it travelled alone, which ignores slow and delayed
    lanes. (A lane is a connection of two places.) There is only one case.
    """
    # 1. Draw the packages, each with one unit of a product, and the stock of their branches.
    rng = world.rng
    sign_in_employee(world)
    stores = list(world.stores.values())
    branches = rng.sample(stores, min(len(stores), _MAX_BRANCHES))
    transfers = []
    for number, product in enumerate(
        rng.sample(world.catalogue.shelf, _PACKAGES), start=1
    ):
        transfers.append(_draw_transfer(world, number, product, branches))
    for transfer in transfers:
        _set_stock(world, transfer)

    # 2. Draw the lanes between the branches.
    wave_id = random_id(rng, prefix="", length=8)
    packages = {transfer.package.id: transfer.package for transfer in transfers}
    wave_without_lanes = Wave(wave_id, packages, lanes={}, rates=world.policy.rates)
    wave = _with_hard_lanes(rng, wave_without_lanes, transfers)

    # 3. Write packages and lanes into tables, and the document that points to both.
    folder = f"/ops/dispatch/wave-{wave_id}"
    document_path = f"{folder}/dispatch.md"
    packages_path = f"{folder}/packages.tsv"
    lanes_path = f"{folder}/lanes.tsv"
    world.files[packages_path] = table_text(
        [transfer.row(world) for transfer in transfers]
    )
    world.files[lanes_path] = wave.table_of_lanes()
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
    return TaskTruth(
        instruction=world.wording("dispatch-wave", path=document_path),
        # Only the form of an answer. There is no single right plan, so the measure scores it.
        message='{"assignments": []}',
        must_cite=(document_path, packages_path, lanes_path),
        may_cite=tuple(mentioned_paths),
        measure=DispatchMeasure(wave),
    )


FAMILIES: Final = (
    Family(
        "dispatch-wave",
        _dispatch_wave,
        task_count=5,
        about="a plan for a wave of packages",
        pages="dispatch stock",
        bar=Bar.STAFF_ONLY,
    ),
)
