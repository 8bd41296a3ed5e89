"""Plans for dispatch waves: naive ones, and good ones that a local search finds.

A wave is a set of packages that are sent at the same time, over lanes that carry only a
few each. A naive plan routes each package as if it travelled alone. A search begins with
the cheapest route of each package, and then changes one route at a time while that lowers
the cost of all. One search estimates the cost by mean delays, the other by a rehearsal: a
simulation with random delays. Neither uses the delays by which answers are graded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from controlplane.benchmarks.ecom.tasks.dispatch_waves import (
    Assignment,
    Lane,
    Package,
    Plan,
    Wave,
    mean_gain,
    simulate,
)
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates

MAX_LANES_PER_ROUTE: Final = 4
"""The most lanes of a route that is tried: from a branch over at most three hubs to another."""
MAX_ROUTES_PER_PACKAGE: Final = 4
"""The number of cheapest routes that the search tries for each package."""
MAX_SWEEPS: Final = 3
"""The most times that the search goes over all packages. It stops earlier if nothing improves."""

LaneSequence = tuple[Lane, ...]
"""The lanes that a package takes, in order."""


@dataclass(frozen=True, slots=True)
class Route:
    """One possible route of a package, with what the search needs to compare it."""

    lane_ids: tuple[str, ...]
    """The ids of its lanes, in order."""
    time: int
    """The travel time without delay."""
    chances: tuple[tuple[int, float], ...]
    """The possible total delays, each with its probability: `((0, 0.9), (3, 0.1))`."""

    def expected_late_units(self, spare: int) -> float:
        """Return the mean lateness in time units if a delay of `spare` units does no harm.

        `spare` is negative if the package is late even without a delay.
        """
        return sum(
            chance * (delay - spare) for delay, chance in self.chances if delay > spare
        )


RouteOfPackage = Mapping[str, Route]
"""The route of each package by its id: a choice. With priorities, it becomes a `Plan`."""


def naive_plans(wave: Wave) -> list[Plan]:
    """Return three plans that route each package as if it travelled alone.

    The first takes the fewest lanes, the second the fastest, the third the cheapest.
    """
    sequences = {
        package.id: lane_sequences(wave, package) for package in wave.packages.values()
    }
    return [
        _plan_with_least(wave, sequences, len),
        _plan_with_least(wave, sequences, _travel_time),
        _plan_with_least(wave, sequences, _cost_cents),
    ]


def _plan_with_least(
    wave: Wave,
    sequences: Mapping[str, Sequence[LaneSequence]],
    measure: Callable[[LaneSequence], int],
) -> Plan:
    """Return the plan in which each package takes the lanes with the lowest measure.

    `sequences` are the possible lanes of each package. `measure` returns, for example, the
    cost of some lanes.
    """
    choice = {}
    for package_id, possible_lanes in sequences.items():
        if possible_lanes:
            lanes = min(possible_lanes, key=measure)
            choice[package_id] = _route_of(lanes, wave.rates)
    return plan_of_choice(wave, choice)


def _travel_time(lanes: LaneSequence) -> int:
    """Return the time for these lanes without delay."""
    return sum(lane.eta for lane in lanes)


def _cost_cents(lanes: LaneSequence) -> int:
    """Return the cost of one trip on each of these lanes."""
    return sum(lane.cost_cents for lane in lanes)


def best_known_plan(wave: Wave) -> Plan:
    """Return the best of the plans from two searches and the naive plans."""
    routes = _promising_routes(wave)
    # A choice is one route for each package.
    first_choice = _search_by_expected_lateness(wave, routes)
    second_choice = _search_by_rehearsal(wave, routes, start=first_choice)
    plans = [plan_of_choice(wave, first_choice), plan_of_choice(wave, second_choice)]
    plans += naive_plans(wave)
    return max(plans, key=lambda plan: mean_gain(wave, plan))


def good_plan(wave: Wave) -> Plan:
    """Return the plan that the faster of the two searches finds."""
    choice = _search_by_expected_lateness(wave, _promising_routes(wave))
    return plan_of_choice(wave, choice)


def plan_of_choice(wave: Wave, choice: RouteOfPackage) -> Plan:
    """Return the plan with these routes. Packages with the least time to spare go first."""

    def spare_time(package_id: str) -> int:
        return wave.packages[package_id].due - choice[package_id].time

    plan = {}
    for priority, package_id in enumerate(sorted(choice, key=spare_time), start=1):
        plan[package_id] = Assignment(priority, choice[package_id].lane_ids)
    return plan


def lane_sequences(wave: Wave, package: Package) -> list[LaneSequence]:
    """Return all routes of a package that visit no place twice, as sequences of lanes."""
    return list(_extended(wave, package, ()))


def _extended(
    wave: Wave, package: Package, lanes: LaneSequence
) -> Iterator[LaneSequence]:
    """Yield every route of a package that begins with these lanes."""
    place = lanes[-1].end if lanes else package.start
    if place == package.end:
        yield lanes
        return
    if len(lanes) == MAX_LANES_PER_ROUTE:
        return
    visited = {package.start}
    visited.update(lane.end for lane in lanes)
    for lane in wave.departures.get(place, []):
        if lane.end not in visited:
            yield from _extended(wave, package, (*lanes, lane))


def _route_of(lanes: LaneSequence, rates: DispatchRates) -> Route:
    """Return the route along these lanes, with the probabilities of its total delay."""
    # The delays of lanes are independent. So the probability of a sum of two delays is
    # the product of their probabilities, added up over all pairs with this sum.
    chances = {0: 1.0}
    for lane in lanes:
        sums: dict[int, float] = {}
        for delay, chance in chances.items():
            for further_delay, further_chance in _delay_chances(lane, rates).items():
                total = delay + further_delay
                sums[total] = sums.get(total, 0.0) + chance * further_chance
        chances = sums
    lane_ids = tuple(lane.id for lane in lanes)
    return Route(lane_ids, _travel_time(lanes), tuple(chances.items()))


def _delay_chances(lane: Lane, rates: DispatchRates) -> dict[int, float]:
    """Return the probability of each delay of one trip."""
    shortest, longest = rates.delay_units[lane.delay_length]
    delayed_share = rates.delayed_percent[lane.delay_frequency] / 100
    chances = {0: 1 - delayed_share}
    for delay in range(shortest, longest + 1):  # All of these are equally likely.
        chances[delay] = delayed_share / (longest - shortest + 1)
    return chances


def _promising_routes(wave: Wave) -> dict[str, list[Route]]:
    """Return the few routes of each package that the search tries, the cheapest first.

    The cost of a route is that of its trips and of the expected lateness, as if the package
    travelled alone: it waits for no other, and pays each trip alone.
    """
    promising = {}
    for package in wave.packages.values():
        expected_cents: dict[Route, float] = {}
        for lanes in lane_sequences(wave, package):
            route = _route_of(lanes, wave.rates)
            late_units = route.expected_late_units(package.due - route.time)
            expected_cents[route] = (
                _cost_cents(lanes) + wave.rates.late_cents * late_units
            )
        by_cost = sorted(expected_cents, key=lambda route: expected_cents[route])
        promising[package.id] = by_cost[:MAX_ROUTES_PER_PACKAGE]
    return promising


def _search_by_expected_lateness(
    wave: Wave, routes: Mapping[str, Sequence[Route]]
) -> RouteOfPackage:
    """Search for the routes with the lowest cost of trips and of expected lateness."""

    def cost_of(choice: RouteOfPackage) -> float:
        trips = simulate(wave, plan_of_choice(wave, choice))
        late_units = []
        for package_id, route in choice.items():
            # The units of time that the package could still lose without being late.
            spare = wave.packages[package_id].due - trips.arrivals[package_id]
            late_units.append(route.expected_late_units(spare))
        return trips.cost_cents + wave.rates.late_cents * sum(late_units)

    start = {}
    for package_id, promising in routes.items():
        if promising:
            start[package_id] = promising[0]  # The cheapest route
    return _improved(start, routes, cost_of)


def _search_by_rehearsal(
    wave: Wave, routes: Mapping[str, Sequence[Route]], start: RouteOfPackage
) -> RouteOfPackage:
    """Search for the routes with the highest gain in a simulation (a rehearsal).

    Its delays are other ones than those that the plan is graded with.
    """
    # The delays depend on the id of the wave, so another id gives others.
    rehearsal = replace(wave, id=f"{wave.id}|rehearsal")

    def cost_of(choice: RouteOfPackage) -> float:
        return -mean_gain(rehearsal, plan_of_choice(rehearsal, choice))

    return _improved(start, routes, cost_of)


def _improved(
    choice: RouteOfPackage,
    routes: Mapping[str, Sequence[Route]],
    cost_of: Callable[[RouteOfPackage], float],
) -> RouteOfPackage:
    """Return routes that no change of a single route makes cheaper.

    The search stops after `MAX_SWEEPS` sweeps in any case.
    """
    best_choice = choice
    best_cost = cost_of(choice)
    for _ in range(MAX_SWEEPS):
        cost_before = best_cost
        for package_id in choice:
            for route in routes[package_id]:
                changed_choice = {**best_choice, package_id: route}
                cost = cost_of(changed_choice)
                if cost < best_cost:
                    best_cost = cost
                    best_choice = changed_choice
        if best_cost == cost_before:
            break
    return best_choice
