"""Plans a dispatch wave: chooses the route of each package so that trips and lateness cost least.

A package has an origin, a destination and a due time. A lane connects two places. Each of its
trips costs money and carries a limited number of packages; those that do not fit wait for
the next trip. Trips may be delayed, and only the probabilities of delays are known. So a
plan is judged by its expected cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from controlplane.benchmarks.shop.dispatch.routes import (
    Route,
    RouteChoice,
    route_choices,
)
from controlplane.benchmarks.shop.dispatch.simulation import (
    Plan,
    by_priority,
    simulated,
)
from controlplane.benchmarks.shop.dispatch.wave_tables import Lane, Package


@dataclass(frozen=True, slots=True)
class ProfitPlan:
    """A route for each package that has one, with what these packages earn and cost."""

    routes: Mapping[str, Route]
    """The route of each package, in the order in which packages go if a lane is full."""
    margin_cents: int
    """The sum of the margins of these packages."""
    trip_cents: int
    """The cost of all trips."""
    late_cents: float
    """The expected cost of lateness."""


MAX_PLANS: Final = 6_000
"""The number of plans that the search simulates, which takes a few seconds."""


def plan_for_profit(
    packages: Sequence[Package], lanes: Sequence[Lane]
) -> ProfitPlan | None:
    """Return the most profitable plan that a local search finds; None if no package has a route.

    Every package that has a route is sent, so the margins are the same in all plans, and
    the cheapest plan is the most profitable one. At a full lane, the package with less
    time to spare goes first.
    """
    choices_by_package = {}
    for package in packages:
        choices = route_choices(package, lanes)
        if choices:
            choices_by_package[package.id] = choices
    if not choices_by_package:
        return None
    plan = _best_plan(choices_by_package)
    simulation = simulated(plan)
    return ProfitPlan(
        routes={package_id: plan[package_id].route for package_id in by_priority(plan)},
        margin_cents=sum(choice.package.margin_cents for choice in plan.values()),
        trip_cents=simulation.trip_cents,
        late_cents=simulation.expected_late_cents(plan),
    )


def _best_plan(choices_by_package: Mapping[str, Sequence[RouteChoice]]) -> Plan:
    """Return the cheapest plan found by changing the routes of one or two packages at a time.

    The search starts with the cheapest route of each package alone. Changing two routes at
    once finds plans in which two packages share a trip that is too expensive for one
    package. There are many pairs, so they are tried only if no single change helps.
    """
    cheapest_routes = {
        package_id: choices[0] for package_id, choices in choices_by_package.items()
    }
    search = _PlanSearch(cheapest_routes)
    single_changes = _single_changes(choices_by_package)
    pair_changes = _pair_changes(choices_by_package)
    has_improved = True
    while has_improved:
        has_improved = False
        for change in single_changes:
            if search.try_change(change):
                has_improved = True
        if has_improved:
            continue
        for change in pair_changes:
            if search.try_change(change):
                has_improved = True
                break
    return search.best


class _PlanSearch:
    """The cheapest plan so far, and how many more plans may be tried."""

    def __init__(self, plan: Plan) -> None:
        self.best = plan
        self._best_cents = _expected_cents(plan)
        self._remaining_tries = MAX_PLANS

    def try_change(self, change: Plan) -> bool:
        """Try other routes for some packages. Keep them and return True if the plan gets cheaper.

        After `MAX_PLANS` tries, nothing is tried any more, and the result is False.
        """
        if self._remaining_tries == 0:
            return False
        self._remaining_tries -= 1
        changed = {**self.best, **change}
        changed_cents = _expected_cents(changed)
        if changed_cents >= self._best_cents:
            return False
        self.best = changed
        self._best_cents = changed_cents
        return True


def _single_changes(
    choices_by_package: Mapping[str, Sequence[RouteChoice]],
) -> list[Plan]:
    """Return every change of one package's route."""
    changes: list[Plan] = []
    for package_id, choices in choices_by_package.items():
        for choice in choices:
            changes.append({package_id: choice})
    return changes


def _pair_changes(
    choices_by_package: Mapping[str, Sequence[RouteChoice]],
) -> list[Plan]:
    """Return every change of two packages' routes to routes that share a lane."""
    changes: list[Plan] = []
    for first_id, second_id in combinations(choices_by_package, 2):
        for first in choices_by_package[first_id]:
            first_lanes = {lane.id for lane in first.route}
            for second in choices_by_package[second_id]:
                if any(lane.id in first_lanes for lane in second.route):
                    changes.append({first_id: first, second_id: second})
    return changes


def _expected_cents(plan: Plan) -> float:
    """Return the expected cost of a plan's trips and lateness."""
    simulation = simulated(plan)
    return simulation.trip_cents + simulation.expected_late_cents(plan)
