"""The task to plan a dispatch wave.

A wave is a set of packages that branches send to each other, at the same time, over
lanes: cheap ones by way of hubs, and expensive direct ones. A plan gives each package a
route and a priority. Packages and lanes are in two tables, which the request points to.
There is no single right plan: an answer is scored by what its plan earns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.tasks.dispatch.lanes import RUNS, DispatchLane
from controlplane.benchmarks.ecom.tasks.dispatch.routes import (
    LaneSequence,
    Route,
    RouteChoice,
    cost_cents_of,
    lane_sequences,
    plan_of_choice,
    route_along,
    travel_time,
)
from controlplane.benchmarks.ecom.tasks.dispatch.simulation import (
    PackageAssignment,
    Plan,
    simulate,
)
from controlplane.benchmarks.ecom.tasks.dispatch.transfers import (
    Transfer,
    draw_transfer,
    set_stock,
)
from controlplane.benchmarks.ecom.tasks.dispatch.waves import (
    Wave,
    WavePackage,
    table_text,
)
from controlplane.benchmarks.ecom.tasks.truth import Measured, TaskTruth
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.records import Store
from controlplane.benchmarks.ecom.world.world import World, random_id, sign_in_employee
from controlplane.sandbox.interface import Plain
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# Naive plans for a dispatch wave: each package is routed as if it travelled alone.
#
# A wave is a set of packages that are sent at the same time, over lanes that carry only a few
# each. So a plan that takes the cheapest lanes for every package makes them wait for each
# other. Good plans must earn more than these.


def _naive_plans(wave: Wave) -> list[Plan]:
    """Return three plans that route each package as if it travelled alone.

    The first takes the fewest lanes, the second the fastest, the third the cheapest.
    """
    sequences = {
        package.id: lane_sequences(wave, package) for package in wave.packages.values()
    }
    return [
        _plan_with_least(wave, sequences, len),
        _plan_with_least(wave, sequences, travel_time),
        _plan_with_least(wave, sequences, cost_cents_of),
    ]


def _plan_with_least(
    wave: Wave,
    sequences: Mapping[str, Sequence[LaneSequence]],
    measure: Callable[[LaneSequence], int],
) -> Plan:
    """Return the plan in which each package takes the lanes with the lowest measure.

    `sequences` are the possible lanes of each package. `measure` returns, for example, the
    cost of some lanes. A package without possible lanes is missing in the plan.
    """
    choice = {}
    for package_id, possible_lanes in sequences.items():
        if possible_lanes:
            lanes = min(possible_lanes, key=measure)
            choice[package_id] = route_along(lanes, wave.rates)
    return plan_of_choice(wave, choice)


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
    plan: dict[str, PackageAssignment] = {}
    for package in wave.packages.values():
        package_entries = entries_of_package.get(package.id, [])
        if not package_entries:
            faults.append(f"package {package.id} is left out")
            continue
        assignment = _usable_assignment(wave, package, package_entries)
        if assignment is None:
            faults.append(f"package {package.id} has no usable route")
            continue
        plan[package.id] = assignment
    return ReadPlan(plan, faults)


def _usable_assignment(
    wave: Wave, package: WavePackage, entries: Sequence[Mapping[str, Plain]]
) -> PackageAssignment | None:
    """Return the assignment of a package from its entries in a message; None if it has none.

    It has none if there are several entries, of which none can be preferred, or if the only
    one is malformed or does not lead from the package's start to its end.
    """
    if len(entries) > 1:
        return None
    assignment = _assignment_of(entries[0])
    if assignment is None or not wave.connects(package, assignment.route):
        return None
    return assignment


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


def _assignment_of(entry: Mapping[str, Plain]) -> PackageAssignment | None:
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
    return PackageAssignment(priority, tuple(str(lane_id) for lane_id in route))


# What a plan for a dispatch wave earns: the margin of its packages minus the costs.
#
# A plan is simulated several times with different random delays; each time is a run. A run
# costs its trips, each unit of time by which a package is late, and each package that never
# arrives. A plan is judged by its mean gain over all runs.


@dataclass(frozen=True, slots=True)
class _PlanResult:
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


def _run_results(wave: Wave, plan: Plan) -> list[_PlanResult]:
    """Return the result of every run of a plan. In each run, the trips have other delays."""
    return [_run_result(wave, plan, run) for run in range(RUNS)]


def _run_result(wave: Wave, plan: Plan, run: int) -> _PlanResult:
    """Return what a plan earns and costs with the delays of one run.

    A late package still earns its margin, but costs an amount for each unit of time.
    """
    trips = simulate(wave, plan, run)
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
        transport_cents=trips.cost_cents,
        late_packages=late_packages,
        late_cents=late_units * wave.rates.late_cents,
        missed_packages=missed_packages,
        missed_cents=missed_packages * wave.rates.missed_cents,
    )


def mean_gain(wave: Wave, plan: Plan) -> int:
    """Return the mean gain of a plan over all runs, in whole cents."""
    results = _run_results(wave, plan)
    return sum(result.gain for result in results) // len(results)


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
    routes = _promising_routes(wave)
    first_choice = _search_by_expected_lateness(wave, routes)
    second_choice = _search_by_rehearsal(wave, routes, start=first_choice)
    plans = [plan_of_choice(wave, first_choice), plan_of_choice(wave, second_choice)]
    plans += _naive_plans(wave)
    return max(plans, key=lambda plan: mean_gain(wave, plan))


def good_plan(wave: Wave) -> Plan:
    """Return the plan that the faster of the two searches finds."""
    choice = _search_by_expected_lateness(wave, _promising_routes(wave))
    return plan_of_choice(wave, choice)


def _promising_routes(wave: Wave) -> dict[str, list[Route]]:
    """Return the few routes of each package that the search tries, the cheapest first.

    The cost of a route is that of its trips and of the expected lateness, as if the package
    travelled alone: it waits for no other, and pays each trip alone.
    """
    promising = {}
    for package in wave.packages.values():
        expected_cents: dict[Route, float] = {}
        for lanes in lane_sequences(wave, package):
            route = route_along(lanes, wave.rates)
            spare = package.due - route.time
            late_cents = wave.rates.late_cents * route.expected_late_units(spare)
            expected_cents[route] = cost_cents_of(lanes) + late_cents
        by_cost = sorted(expected_cents, key=lambda route: expected_cents[route])
        promising[package.id] = by_cost[:_MAX_ROUTES_PER_PACKAGE]
    return promising


def _search_by_expected_lateness(
    wave: Wave, routes: Mapping[str, Sequence[Route]]
) -> RouteChoice:
    """Return the routes with the lowest cost of trips and of expected lateness.

    `routes` are those to try for each package, the cheapest first. A package without any
    is left out of the choice.
    """

    def cost_of(choice: RouteChoice) -> float:
        trips = simulate(wave, plan_of_choice(wave, choice))
        late_units = []
        for package_id, route in choice.items():
            # The units of time that the package could still lose without being late.
            spare = wave.packages[package_id].due - trips.arrivals[package_id]
            late_units.append(route.expected_late_units(spare))
        return trips.cost_cents + wave.rates.late_cents * sum(late_units)

    cheapest = {}
    for package_id, routes_to_try in routes.items():
        if routes_to_try:
            cheapest[package_id] = routes_to_try[0]
    return _improved(cheapest, routes, cost_of)


def _search_by_rehearsal(
    wave: Wave, routes: Mapping[str, Sequence[Route]], start: RouteChoice
) -> RouteChoice:
    """Return the routes with the highest gain in a simulation (a rehearsal).

    It begins with the routes `start`. Its delays are not those that the plan is graded with.
    """
    # The delays depend on the id of the wave, so another id gives others.
    rehearsal = replace(wave, id=f"{wave.id}|rehearsal")

    def cost_of(choice: RouteChoice) -> float:
        return -mean_gain(rehearsal, plan_of_choice(rehearsal, choice))

    return _improved(start, routes, cost_of)


def _improved(
    choice: RouteChoice,
    routes: Mapping[str, Sequence[Route]],
    cost_of: Callable[[RouteChoice], float],
) -> RouteChoice:
    """Change one package's route at a time while that lowers the cost, and return the result.

    A sweep tries every route of every package in turn. The search ends after a sweep that
    improves nothing, and after `_MAX_SWEEPS` sweeps in any case.
    """
    best_choice = choice
    best_cost = cost_of(choice)
    for _ in range(_MAX_SWEEPS):
        cost_before = best_cost
        for package_id in choice:
            for route in routes[package_id]:
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
        naive_gain = max(mean_gain(self.wave, plan) for plan in _naive_plans(self.wave))
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
        results = _run_results(self.wave, plan)
        gain = sum(result.gain for result in results) // len(results)
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
    runs = len(results)
    missed = fsum(result.missed_packages for result in results) / runs
    late = fsum(result.late_packages for result in results) / runs
    margin = _mean_euros(result.margin_cents for result in results)
    transport = _mean_euros(result.transport_cents for result in results)
    late_cost = _mean_euros(result.late_cents for result in results)
    missed_cost = _mean_euros(result.missed_cents for result in results)
    highest_gain = max(result.gain for result in results)
    return [
        f"dispatch packages delivered avg {packages - missed:.1f} of {packages}",
        f"dispatch money made avg EUR {margin:.2f} delivered margin",
        f"dispatch packages missed avg {missed:.1f}; late avg {late:.1f}",
        f"dispatch costs/penalties avg EUR {transport:.2f} transport; "
        f"EUR {late_cost:.2f} late; EUR {missed_cost:.2f} missed; EUR 0.00 invalid",
        f"dispatch resulting gain avg EUR {gain / 100:.2f}; max EUR {highest_gain / 100:.2f}; "
        f"efficiency {score:.1%} "
        f"(the best known plan: 100 %, the best naive one: {_NAIVE_SCORE:.0%})",
    ]


def _mean_euros(cents_by_run: Iterable[int]) -> float:
    """Return the mean of amounts in cents, one for each run, in euros."""
    cents = list(cents_by_run)
    return 0.01 * fsum(cents) / len(cents)


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
        lanes.append(_draw_lane_between_hubs(rng, start, end))
    # All branches of a city use the same hub.
    cities = sorted({store.city for store in stores.values()})
    for store in stores.values():
        hub = _HUBS[cities.index(store.city) % len(_HUBS)]
        lanes.append(_draw_hub_lane(rng, store.id, hub))
        lanes.append(_draw_hub_lane(rng, hub, store.id))
    for start, end in pairs_of_stores:
        lanes.append(_draw_direct_lane(rng, start, end))
    return lanes


def _draw_lane_between_hubs(rng: Random, start: str, end: str) -> DispatchLane:
    """Return a lane between two hubs. All of them differ only in their delays."""
    return DispatchLane(
        id=f"lane-{start}-{end}",
        start=start,
        end=end,
        capacity=4,  # packages for each trip
        eta=4,  # time units for each trip
        cost_cents=260,
        delay_frequency=_draw_rare_frequency(rng),
        delay_length=_draw_short_length(rng),
    )


def _draw_hub_lane(rng: Random, start: str, end: str) -> DispatchLane:
    """Return a lane between a branch and its hub. It is cheap and rarely delayed."""
    return DispatchLane(
        id=f"lane-{start}-{end}",
        start=start,
        end=end,
        capacity=rng.randint(1, 3),
        eta=rng.randint(1, 3),
        cost_cents=rng.randint(90, 210),
        delay_frequency=_draw_rare_frequency(rng),
        delay_length=_draw_short_length(rng),
    )


def _draw_direct_lane(rng: Random, start: str, end: str) -> DispatchLane:
    """Return a lane between two branches. It is expensive and often delayed."""
    return DispatchLane(
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
    hardest = _draw_wave(rng, wave_without_lanes, transfers)
    draws = 1
    while not hardest.is_hard_enough(draws):
        drawn = _draw_wave(rng, wave_without_lanes, transfers)
        draws += 1
        if drawn.rank() < hardest.rank():
            hardest = drawn
    return hardest.wave


@dataclass(frozen=True, slots=True)
class _DrawnWave:
    """A wave with random lanes, and how hard it is to plan."""

    wave: Wave
    naive_share: float
    """The gain of the best naive plan as a share of a good plan's gain: lower is harder."""

    def is_hard_enough(self, draws: int) -> bool:
        """Return True if naive plans earn so much less that no further wave must be drawn.

        `draws` is the number of waves that have been drawn, this one included.
        """
        if draws < _DEMANDING_DRAWS:
            return self.naive_share <= _MAX_NAIVE_SHARE
        return self.naive_share < 1

    def rank(self) -> tuple[float, str]:
        """Return the sort key, which is lowest for the hardest wave.

        If two waves are equally hard, the order of their tables of lanes decides.
        """
        return self.naive_share, self.wave.table_of_lanes()


def _draw_wave(
    rng: Random, wave_without_lanes: Wave, transfers: Sequence[Transfer]
) -> _DrawnWave:
    """Return the wave with random lanes, and how hard they make it."""
    lanes = {lane.id: lane for lane in _draw_lanes(rng, transfers)}
    wave = replace(wave_without_lanes, lanes=lanes)
    naive_gain = max(mean_gain(wave, plan) for plan in _naive_plans(wave))
    good_gain = mean_gain(wave, good_plan(wave))
    positive_good_gain = max(good_gain, 1)  # The divisor must not be 0.
    return _DrawnWave(wave, naive_gain / positive_good_gain)


_MAX_BRANCHES: Final = 11
"""The most branches between which a wave sends packages."""
PACKAGES: Final = 10
"""The number of packages in a wave."""


def dispatch_wave(world: World, _case: str) -> TaskTruth:
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
        rng.sample(world.catalogue.shelf, PACKAGES), start=1
    ):
        transfers.append(draw_transfer(rng, number, product, branches))
    for transfer in transfers:
        set_stock(world, transfer)

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
