"""Searches for the cheapest plan of a dispatch wave by changing the routes of packages.

A plan has a route for each package. With 30 packages and 4 routes each, there are far too many
plans to try them all. So the search starts with the cheapest route of each package, and keeps
every change that makes the whole plan cheaper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from controlplane.benchmarks.shop.dispatch.routes import (
    RouteChoice,
)
from controlplane.benchmarks.shop.dispatch.simulation import (
    Plan,
    simulated,
)

MAX_PLANS: Final = 6_000
"""The number of plans that the search simulates, which takes a few seconds."""


def best_plan(choices_by_package: Mapping[str, Sequence[RouteChoice]]) -> Plan:
    """Return the cheapest plan found by changing the routes of one or two packages at a time.

    The search starts with the cheapest route of each package alone. Changing two routes at
    once finds plans in which two packages share a trip that is too expensive for one
    package. There are many pairs, so they are tried only if no single change helps.
    """
    cheapest_routes = {
        package_id: choices[0] for package_id, choices in choices_by_package.items()
    }
    single_changes = _single_changes(choices_by_package)
    pair_changes = _pair_changes(choices_by_package)
    search = _PlanSearch(cheapest_routes)
    is_cheaper = True
    while is_cheaper:
        is_cheaper = search.try_all(single_changes) or search.try_any(pair_changes)
    return search.best


class _PlanSearch:
    """The cheapest plan so far, and how many more plans may be tried."""

    def __init__(self, plan: Plan) -> None:
        self.best = plan
        self._best_cents = _expected_cents(plan)
        self._remaining_tries = MAX_PLANS

    def try_all(self, changes: Sequence[Plan]) -> bool:
        """Try all changes, and keep each that makes the plan cheaper. Return True if one did."""
        is_cheaper = False
        for change in changes:
            if self._try_change(change):
                is_cheaper = True
        return is_cheaper

    def try_any(self, changes: Sequence[Plan]) -> bool:
        """Try changes until one makes the plan cheaper, and keep it. Return True if one did."""
        return any(self._try_change(change) for change in changes)

    def _try_change(self, change: Plan) -> bool:
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
    """Return every change of one package's route: `[{"pkg_1": route_a}, {"pkg_1": route_b}]`."""
    changes: list[Plan] = []
    for package_id, choices in choices_by_package.items():
        for choice in choices:
            changes.append({package_id: choice})
    return changes


def _pair_changes(
    choices_by_package: Mapping[str, Sequence[RouteChoice]],
) -> list[Plan]:
    """Return every change of two packages' routes to routes that share a lane.

    On a shared lane, two packages may take one trip, which is cheaper than two.
    """
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
