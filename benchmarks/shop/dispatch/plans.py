"""Plans a dispatch wave: chooses the route of each package so that trips and lateness cost least.

A package has an origin, a destination and a due time. A lane connects two places. Each of its
trips costs money and carries a limited number of packages; those that do not fit wait for
the next trip. Trips may be delayed, and only the probabilities of delays are known. So a
plan is judged by its expected cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.benchmarks.shop.dispatch.lane_table import Lane
from controlplane.benchmarks.shop.dispatch.package_table import Package
from controlplane.benchmarks.shop.dispatch.plan_search import best_plan
from controlplane.benchmarks.shop.dispatch.routes import (
    Route,
    route_choices,
)
from controlplane.benchmarks.shop.dispatch.simulation import (
    by_priority,
    simulated,
)


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
    plan = best_plan(choices_by_package)
    simulation = simulated(plan)
    return ProfitPlan(
        routes={package_id: plan[package_id].route for package_id in by_priority(plan)},
        margin_cents=sum(choice.package.margin_cents for choice in plan.values()),
        trip_cents=simulation.trip_cents,
        late_cents=simulation.expected_late_cents(plan),
    )
