"""Possible routes of a package in a dispatch wave, with the probabilities of their delays.

A route is a sequence of lanes: from Breda to a hub, and from there to Utrecht. If each lane
is delayed by 3 units in one of ten trips, the route is on time with a probability of 0.81,
3 units late with 0.18, and 6 with 0.01.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.ecom.tasks.dispatch.lanes import DispatchLane
from controlplane.benchmarks.ecom.tasks.dispatch.simulation import (
    PackageAssignment,
    Plan,
)
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Wave, WavePackage
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates

_MAX_LANES_PER_ROUTE: Final = 4
"""The most lanes of a route that is tried: from a branch over at most three hubs to another."""
LaneSequence = tuple[DispatchLane, ...]
"""The lanes that a package takes, in order."""


@dataclass(frozen=True, slots=True)
class Route:
    """One possible route of a package, with what the search needs to compare it."""

    lane_ids: tuple[str, ...]
    """The ids of its lanes, in order."""
    time: int
    """The travel time without delay, in time units."""
    chances: tuple[tuple[int, float], ...]
    """The possible total delays, each with its probability: `((0, 0.9), (3, 0.1))`."""

    def expected_late_units(self, spare: int) -> float:
        """Return the mean lateness in time units if a delay of `spare` units does no harm.

        A delay of 3 units in one of ten cases, with one unit to spare -> 0.1 * 2 = 0.2.
        `spare` is negative if the package is late even without a delay.
        """
        return sum(
            chance * (delay - spare) for delay, chance in self.chances if delay > spare
        )


RouteChoice = Mapping[str, Route]
"""One route for each package, by the package's id. With priorities, it becomes a `Plan`."""


def lane_sequences(wave: Wave, package: WavePackage) -> list[LaneSequence]:
    """Return all routes of a package that visit no place twice, as sequences of lanes.

    From `a` to `b`: the direct lane, if there is one, and those over one to three hubs.
    """
    return list(_extended(wave, package, ()))


def _extended(
    wave: Wave, package: WavePackage, lanes: LaneSequence
) -> Iterator[LaneSequence]:
    """Yield every route of a package that begins with these lanes, in depth-first order."""
    place = lanes[-1].end if lanes else package.start
    if place == package.end:
        yield lanes
        return
    if len(lanes) == _MAX_LANES_PER_ROUTE:
        return
    visited = {package.start}
    visited.update(lane.end for lane in lanes)
    for lane in wave.departures.get(place, []):
        if lane.end not in visited:
            yield from _extended(wave, package, (*lanes, lane))


def route_along(lanes: LaneSequence, rates: DispatchRates) -> Route:
    """Return the route along these lanes, with the probabilities of its total delay.

    Two lanes with `{0: 0.9, 3: 0.1}` each -> `((0, 0.81), (3, 0.18), (6, 0.01))`
    """
    # The delays of lanes are independent. So the probability of a sum of two delays is
    # the product of their probabilities, added up over all pairs with this sum.
    chances = {0: 1.0}
    for lane in lanes:
        sums: dict[int, float] = {}
        for delay, chance in chances.items():
            for further_delay, further_chance in lane.delay_chances(rates).items():
                total = delay + further_delay
                sums[total] = sums.get(total, 0.0) + chance * further_chance
        chances = sums
    lane_ids = tuple(lane.id for lane in lanes)
    return Route(lane_ids, travel_time(lanes), tuple(chances.items()))


def travel_time(lanes: LaneSequence) -> int:
    """Return the time units that trips over these lanes take without delay."""
    return sum(lane.eta for lane in lanes)


def cost_cents_of(lanes: LaneSequence) -> int:
    """Return the cost of one trip on each of these lanes."""
    return sum(lane.cost_cents for lane in lanes)


def plan_of_choice(wave: Wave, choice: RouteChoice) -> Plan:
    """Return the plan with these routes, in which each package has a priority as well.

    Packages with little time to spare go first: one that is due at 12 and travels for 10
    units comes before one that is due at 8 and travels for 4.
    """

    def spare_time(package_id: str) -> int:
        return wave.packages[package_id].due - choice[package_id].time

    plan = {}
    for priority, package_id in enumerate(sorted(choice, key=spare_time), start=1):
        plan[package_id] = PackageAssignment(priority, choice[package_id].lane_ids)
    return plan
