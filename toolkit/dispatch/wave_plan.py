"""The plan of a wave with the fewest late packages, found by branch and bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from toolkit.dispatch.wave import Lane, Package, Route, cost_cents, routes, travel

ROUTES_PER_PACKAGE: Final = 4
MOST_NODES: Final = 100_000
"""Partial plans that are looked at; after them the best plan so far stands."""

Cost: TypeAlias = tuple[int, int, int, int]
"""Late packages, lateness, cents, travel: what a plan minimizes, in this order."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A package's route and its rank in every queue, from 1."""

    package: Package
    route: Route
    priority: int
    arrival: int
    """In units of time, waiting included."""


@dataclass(frozen=True, slots=True)
class WavePlan:
    """A route for every package that has one."""

    assignments: tuple[Assignment, ...]
    cost: Cost


def plan_wave(packages: Sequence[Package], lanes: Sequence[Lane]) -> WavePlan | None:
    """Return the best plan, or None if no package can be routed.

    The earlier a package is due the earlier it loads. One that finds `k` packages before it on a lane waits
    `k // capacity` trips. Packages without a route are left out.
    """
    ranked = sorted(packages, key=lambda each: (each.due, -each.margin_cents, each.id))
    choices = [(each, _best_routes(each, lanes)) for each in ranked]
    choices = [(package, found) for package, found in choices if found]
    if not choices:
        return None
    return _Search(choices).best()


def _best_routes(package: Package, lanes: Sequence[Lane]) -> list[Route]:
    ranked = sorted(
        routes(package, lanes),
        key=lambda route: (
            max(travel(route) - package.due, 0),
            cost_cents(route),
            travel(route),
            len(route),
            [lane.id for lane in route],
        ),
    )
    return ranked[:ROUTES_PER_PACKAGE]


def _sum(left: Cost, right: Cost) -> Cost:
    return (left[0] + right[0], left[1] + right[1], left[2] + right[2], left[3] + right[3])


def _cost(package: Package, route: Route, arrival: int) -> Cost:
    late = max(arrival - package.due, 0)
    return (int(late > 0), late, cost_cents(route), travel(route))


class _Search:
    """Depth first over the packages by rank; what the rest costs at least is known without waiting."""

    def __init__(self, choices: list[tuple[Package, list[Route]]]) -> None:
        self._choices = choices
        self._rest = [(0, 0, 0, 0)]
        for package, found in reversed(choices):
            costs = [_cost(package, route, travel(route)) for route in found]
            least = (
                min(each[0] for each in costs),
                min(each[1] for each in costs),
                min(each[2] for each in costs),
                min(each[3] for each in costs),
            )
            self._rest.insert(0, _sum(self._rest[0], least))
        self._before: Counter[str] = Counter()
        self._chosen: list[tuple[Route, int]] = []
        self._best: tuple[Cost, list[tuple[Route, int]]] | None = None
        self._nodes = 0

    def best(self) -> WavePlan:
        self._descend((0, 0, 0, 0))
        assert self._best is not None  # the first way down is always gone to its end
        cost, chosen = self._best
        found = [
            Assignment(package, route, rank, arrival)
            for rank, ((package, _), (route, arrival)) in enumerate(zip(self._choices, chosen, strict=True), start=1)
        ]
        return WavePlan(tuple(found), cost)

    def _descend(self, cost: Cost) -> None:
        at = len(self._chosen)
        if self._best is not None and (self._nodes > MOST_NODES or _sum(cost, self._rest[at]) >= self._best[0]):
            return
        if at == len(self._choices):
            self._best = (cost, list(self._chosen))
            return
        self._nodes += 1
        package, found = self._choices[at]
        arrivals = [(route, self._arrival(route)) for route in found]
        for route, arrival in sorted(arrivals, key=lambda each: _cost(package, each[0], each[1])):
            self._before.update(lane.id for lane in route)
            self._chosen.append((route, arrival))
            self._descend(_sum(cost, _cost(package, route, arrival)))
            self._chosen.pop()
            self._before.subtract(lane.id for lane in route)

    def _arrival(self, route: Route) -> int:
        return sum(lane.eta * (1 + self._before[lane.id] // lane.capacity) for lane in route)
