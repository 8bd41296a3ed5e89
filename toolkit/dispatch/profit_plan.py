"""The plan of a wave that earns most: trips are shared, and delays cost what they are likely to cost.

Time is whole. In every unit of time a lane on which packages wait makes one trip, with as many as it carries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.dispatch.lane_delays import late_cents, summed
from toolkit.dispatch.wave import Lane, Package, Route, cost_cents, routes, travel
from toolkit.dispatch.wave_plan import Assignment

MOST_WAYS: Final = 6
"""Routes of one package that are tried."""
MOST_TRIALS: Final = 6_000
"""Plans that are played."""
MOST_LANES: Final = 4


@dataclass(frozen=True)
class _Way:
    """One route of a package, with the chances of its delays."""

    package: Package
    route: Route
    chances: tuple[tuple[int, float], ...]

    @property
    def slack(self) -> int:
        return self.package.due - travel(self.route)

    @property
    def alone_cents(self) -> float:
        return cost_cents(self.route) + late_cents(self.chances, self.slack)


_Chosen = Mapping[str, _Way]


@dataclass(frozen=True, slots=True)
class ProfitPlan:
    """A route and a priority for every package that has a route, and what the plan is expected to cost."""

    assignments: tuple[Assignment, ...]
    expected_cents: float
    """Trips and lateness, in cents."""


def plan_for_profit(packages: Sequence[Package], lanes: Sequence[Lane]) -> ProfitPlan | None:
    """Return the best plan that a local search over routes finds; None if no package can be routed.

    Of two packages that wait for a lane the one with less time to spare goes first. Packages without a route are left
    out.
    """
    ways = {each.id: found for each in packages if (found := _ways(each, lanes))}
    if not ways:
        return None
    chosen = _Search(ways).best()
    arrived, _ = _played(chosen)
    assignments = [
        Assignment(chosen[each].package, chosen[each].route, rank, arrived[each])
        for rank, each in enumerate(_by_slack(chosen), start=1)
    ]
    return ProfitPlan(tuple(assignments), _expected_cents(chosen))


def _ways(package: Package, lanes: Sequence[Lane]) -> list[_Way]:
    every = [
        _Way(package, route, summed(lane.delays for lane in route)) for route in routes(package, lanes, MOST_LANES)
    ]
    return sorted(every, key=lambda way: (way.alone_cents, [lane.id for lane in way.route]))[:MOST_WAYS]


def _by_slack(chosen: _Chosen) -> list[str]:
    return sorted(chosen, key=lambda each: chosen[each].slack)


def _played(chosen: _Chosen) -> tuple[dict[str, int], int]:
    """Return when each package arrives without delays, and what all trips cost in cents."""
    rank = {each: at for at, each in enumerate(_by_slack(chosen))}
    queue: dict[int, list[tuple[str, int]]] = {0: [(each, 0) for each in chosen]}
    waiting: dict[str, tuple[Lane, list[tuple[int, str, int]]]] = {}
    arrived: dict[str, int] = {}
    cost = time = 0
    while queue or waiting:
        for each, leg in queue.pop(time, ()):
            route = chosen[each].route
            if leg == len(route):
                arrived[each] = time
            else:
                waiting.setdefault(route[leg].id, (route[leg], []))[1].append((rank[each], each, leg))
        for name in list(waiting):
            lane, line = waiting.pop(name)
            line.sort()
            cost += lane.cost_cents
            there = queue.setdefault(time + lane.eta, [])
            there += [(each, leg + 1) for _, each, leg in line[: lane.capacity]]
            if line[lane.capacity :]:
                waiting[name] = (lane, line[lane.capacity :])
        time += 1
    return arrived, cost


def _expected_cents(chosen: _Chosen) -> float:
    arrived, cost = _played(chosen)
    return cost + sum(late_cents(way.chances, way.package.due - arrived[each]) for each, way in chosen.items())


class _Search:
    """Changes the route of one package, then of two at once that share a lane, for as long as the plan gets better."""

    def __init__(self, ways: Mapping[str, Sequence[_Way]]) -> None:
        self._ways = ways
        self._chosen: dict[str, _Way] = {each: found[0] for each, found in ways.items()}
        self._best = _expected_cents(self._chosen)
        self._trials = 0

    def best(self) -> dict[str, _Way]:
        while self._single() or self._pairs():
            pass
        return self._chosen

    def _take(self, changed: Mapping[str, _Way]) -> bool:
        if self._trials >= MOST_TRIALS:
            return False
        self._trials += 1
        tried = {**self._chosen, **changed}
        cost = _expected_cents(tried)
        if cost >= self._best:
            return False
        self._best, self._chosen = cost, tried
        return True

    def _single(self) -> bool:
        is_better = False
        for each, found in self._ways.items():
            for way in found:
                is_better |= self._take({each: way})
        return is_better

    def _pairs(self) -> bool:
        """Two packages that pass the same place may earn more on one lane, though neither does alone."""
        names = list(self._ways)
        return any(
            self._take({first: one, second: other})
            for at, first in enumerate(names)
            for second in names[at + 1 :]
            for one in self._ways[first]
            for other in self._ways[second]
            if {lane.id for lane in one.route} & {lane.id for lane in other.route}
        )
