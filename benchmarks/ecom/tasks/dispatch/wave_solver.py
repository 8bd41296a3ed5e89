"""A good plan for a wave, by local search on expected lateness. Its mean gain is the measure of every other plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.ecom.tasks.dispatch.transfer_wave import Lane, Package, Wave
from benchmarks.ecom.tasks.dispatch.wave_simulation import LATE_CENTS, Plan, arrivals, delay_chances

MOST_LANES: Final = 4
MOST_ROUTES: Final = 4
MOST_SWEEPS: Final = 3


@dataclass(frozen=True, slots=True)
class Route:
    """One way of a package, with its time without delay and the probability of every sum of delays."""

    lanes: tuple[str, ...]
    time: int
    chances: tuple[tuple[int, float], ...]

    def late_cents(self, spare: int) -> float:
        """Return the expected cost of lateness if `spare` time units are left without delay."""
        return LATE_CENTS * sum(chance * (delay - spare) for delay, chance in self.chances if delay > spare)


def _route(lanes: tuple[Lane, ...]) -> Route:
    chances = {0: 1.0}
    for lane in lanes:
        sums: dict[int, float] = {}
        for delay, chance in chances.items():
            for more, likely in delay_chances(lane).items():
                sums[delay + more] = sums.get(delay + more, 0.0) + chance * likely
        chances = sums
    return Route(tuple(each.id for each in lanes), sum(each.eta for each in lanes), tuple(chances.items()))


def _routes(wave: Wave, package: Package) -> list[Route]:
    """Return the ways of a package that are best when nothing else travels."""
    found: list[tuple[Lane, ...]] = []

    def walk(place: str, way: tuple[Lane, ...]) -> None:
        if place == package.end:
            found.append(way)
        elif len(way) < MOST_LANES:
            passed = {package.start, *(lane.end for lane in way)}
            for lane in wave.departures.get(place, ()):
                if lane.end not in passed:
                    walk(lane.end, (*way, lane))

    walk(package.start, ())
    routes = {_route(way): sum(lane.cost_cents for lane in way) for way in found}
    return sorted(routes, key=lambda way: routes[way] + way.late_cents(package.due - way.time))[:MOST_ROUTES]


def _plan(wave: Wave, chosen: Mapping[str, Route]) -> Plan:
    """Return the plan of these routes, the package with the least time to spare first."""
    by_slack = sorted(chosen, key=lambda each: wave.packages[each].due - chosen[each].time)
    return {each: (at, chosen[each].lanes) for at, each in enumerate(by_slack, start=1)}


def _cost(wave: Wave, chosen: Mapping[str, Route]) -> float:
    arrived, cost = arrivals(wave, _plan(wave, chosen))
    return cost + sum(route.late_cents(wave.packages[each].due - arrived[each]) for each, route in chosen.items())


def solve(wave: Wave) -> Plan:
    """Return a plan that delivers every package which some route can reach."""
    routes = {each.id: found for each in wave.packages.values() if (found := _routes(wave, each))}
    chosen = {each: found[0] for each, found in routes.items()}
    best = _cost(wave, chosen)
    for _ in range(MOST_SWEEPS):
        before = best
        for each, found in routes.items():
            for way in found:
                cost = _cost(wave, {**chosen, each: way})
                if cost < best:
                    best, chosen = cost, {**chosen, each: way}
        if best == before:
            break
    return _plan(wave, chosen)
