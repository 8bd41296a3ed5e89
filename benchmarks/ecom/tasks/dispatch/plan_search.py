"""Finds good plans for dispatch waves, by a local search.

A search begins with the cheapest route of each package, and then changes one route at a
time while that lowers the cost of all. One search estimates the cost by mean delays, the
other by a rehearsal: a simulation with random delays. Neither uses the delays by which
answers are graded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from controlplane.benchmarks.ecom.tasks.dispatch.naive_plans import naive_plans
from controlplane.benchmarks.ecom.tasks.dispatch.routes import (
    Route,
    RouteChoice,
    cost_cents_of,
    lane_sequences,
    plan_of_choice,
    route_along,
)
from controlplane.benchmarks.ecom.tasks.dispatch.run_results import mean_gain
from controlplane.benchmarks.ecom.tasks.dispatch.simulation import Plan, simulate
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Wave

MAX_ROUTES_PER_PACKAGE: Final = 4
"""The number of cheapest routes that the search tries for each package."""
MAX_SWEEPS: Final = 3
"""The most times that the search goes over all packages. It stops earlier if nothing improves."""


def best_known_plan(wave: Wave) -> Plan:
    """Return the best of the plans from two searches and the naive plans.

    The second search begins where the first one ends.
    """
    routes = _promising_routes(wave)
    first_choice = _search_by_expected_lateness(wave, routes)
    second_choice = _search_by_rehearsal(wave, routes, start=first_choice)
    plans = [plan_of_choice(wave, first_choice), plan_of_choice(wave, second_choice)]
    plans += naive_plans(wave)
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
        promising[package.id] = by_cost[:MAX_ROUTES_PER_PACKAGE]
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
    improves nothing, and after `MAX_SWEEPS` sweeps in any case.
    """
    best_choice = choice
    best_cost = cost_of(choice)
    for _ in range(MAX_SWEEPS):
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
