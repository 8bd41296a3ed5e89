"""Simulates a plan for a dispatch wave: when each package arrives, and what the trips cost.

A plan gives each package a route and a priority. In each time unit, each lane with waiting
packages makes one trip. So at a full lane, the packages with the lowest priority number
travel first, and others wait. Trips follow those of the public benchmark (BitGN ECOM).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from controlplane.benchmarks.ecom.tasks.dispatch.waves import Wave


class PackageAssignment(NamedTuple):
    """The priority and the route of one package."""

    priority: int
    """At a full lane, packages with the lowest number go first."""
    route: tuple[str, ...]
    """The ids of the package's lanes, in order."""


Plan = Mapping[str, PackageAssignment]
"""The assignment of each package by its id. A package without a usable route is missing."""


@dataclass(frozen=True, slots=True)
class Trips:
    """The arrivals and the cost of a simulated plan."""

    arrivals: dict[str, int]
    """The time at which each package reached its end."""
    cost_cents: int
    """The cost of all trips."""


class _TravellingPackage(NamedTuple):
    """A package on its route. Queues for a lane are sorted by priority, then by row."""

    priority: int
    """The priority that the plan gives to the package; the lowest number goes first."""
    row: int
    """The row of the package in the table of packages. Each package has another one."""
    id: str
    lanes_passed: int
    """The number of lanes of its route that it has left behind."""


def simulate(wave: Wave, plan: Plan, run: int | None = None) -> Trips:
    """Simulate the trips of a plan's packages, with the delays of one run; without any for None.

    In each time unit, every lane with waiting packages makes one trip with as many
    packages as it can carry. The lowest priority number goes first; between equal ones,
    the order of the table of packages decides.
    """
    row_of_package = {package: row for row, package in enumerate(wave.packages)}
    # The packages that reach a place, by time. At time 0, all of them are at their start.
    reaching: dict[int, list[_TravellingPackage]] = {0: []}
    for package_id, (priority, _) in plan.items():
        row = row_of_package[package_id]
        reaching[0].append(_TravellingPackage(priority, row, package_id, 0))
    # The packages that wait for a lane, by its id.
    waiting: dict[str, list[_TravellingPackage]] = {}
    arrivals: dict[str, int] = {}
    cost_cents = 0
    time = 0
    while reaching or waiting:
        # 1. Packages at a place queue for their next lane.
        for package in reaching.pop(time, []):
            route = plan[package.id].route
            if package.lanes_passed == len(route):
                arrivals[package.id] = time
                continue
            next_lane = route[package.lanes_passed]
            waiting.setdefault(next_lane, []).append(package)

        # 2. Each lane with a queue makes a trip.
        for lane_id in list(waiting):
            lane = wave.lanes[lane_id]
            queue = sorted(waiting[lane_id])
            delay = 0
            if run is not None:
                delay = wave.delays[lane_id].at(run, time)
            # A trip takes at least one unit.
            end_time = time + max(lane.eta, 1) + delay
            packages_at_end = reaching.setdefault(end_time, [])
            for priority, row, package_id, lanes_passed in queue[: lane.capacity]:
                packages_at_end.append(
                    _TravellingPackage(priority, row, package_id, lanes_passed + 1)
                )
            cost_cents += lane.cost_cents
            left_behind = queue[lane.capacity :]
            if left_behind:
                waiting[lane_id] = left_behind
            else:
                del waiting[lane_id]

        # 3. Advance the time: by one unit if packages wait, else to the next arrival.
        if waiting:
            time += 1
        elif reaching:
            time = min(reaching)
    return Trips(arrivals, cost_cents)
