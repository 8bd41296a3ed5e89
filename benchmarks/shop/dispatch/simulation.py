"""Says when each package arrives if a plan is carried out, and what the plan costs.

Two packages wait for a lane that takes 5 units of time and carries one package a trip. The one with
less time to spare goes at once and arrives at 5, the other one goes a unit later and arrives at 6.
So the route of one package can delay others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from controlplane.benchmarks.shop.dispatch.lane_table import Lane
from controlplane.benchmarks.shop.dispatch.routes import (
    RouteChoice,
)

Plan: TypeAlias = Mapping[str, RouteChoice]
"""The chosen route of each package, by the package's id."""


def by_priority(plan: Plan) -> list[str]:
    """Return the ids of the packages, those with the least time to spare (`slack`) first.

    This is their rank: in this order they leave the queue of a full lane.
    """
    return sorted(plan, key=lambda package_id: plan[package_id].slack)


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a plan comes to if no trip is delayed: the arrivals, and the cost of all trips."""

    arrivals: Mapping[str, int]
    """The time of arrival of each package, which includes the time in queues at full lanes."""
    trip_cents: int

    def expected_late_cents(self, plan: Plan) -> float:
        """Return the expected cost of lateness of a plan.

        A package is late if the delay of its route is longer than the time that the
        simulation leaves it until it is due.
        """
        cents = 0.0
        for package_id, choice in plan.items():
            # The choice knows the probabilities of the delays on its route.
            time_to_spare = choice.package.due - self.arrivals[package_id]
            cents += choice.expected_late_cents(time_to_spare)
        return cents


class _Position(NamedTuple):
    """A package on its way. Positions sort by rank, their first field."""

    rank: int
    """The package's place in the order of `by_priority`. At a lane, the lowest rank goes first."""
    package_id: str
    next_lane: int
    """The index of the package's next lane in its route; at its end, the route's length."""


@dataclass(slots=True)
class _Queue:
    """The packages that wait for a lane."""

    lane: Lane
    packages: list[_Position] = field(default_factory=list)


def simulated(plan: Plan) -> Simulation:
    """Simulate the trips of all packages, without delays.

    A lane makes a trip in each unit of time in which packages wait for it. If two packages take a
    lane that carries one and takes 5 units -> `arrivals` 5 and 6, and the cost of two trips.
    """
    start = []
    for rank, package_id in enumerate(by_priority(plan)):
        start.append(_Position(rank, package_id, next_lane=0))
    # The packages that arrive at the end of a lane, by time. At time 0, all are at their origins.
    arriving_at: dict[int, list[_Position]] = {0: start}
    # The packages that wait for a lane, by its id.
    queues: dict[str, _Queue] = {}
    # The times at which packages arrive at their destinations.
    arrivals: dict[str, int] = {}
    trip_cents = 0
    time = 0
    while arriving_at or queues:
        # 1. Packages at a place queue for their next lane.
        for package in arriving_at.pop(time, ()):
            route = plan[package.package_id].route
            if package.next_lane == len(route):
                arrivals[package.package_id] = time
            else:
                lane = route[package.next_lane]
                queues.setdefault(lane.id, _Queue(lane)).packages.append(package)

        # 2. Each lane with a queue makes a trip. It ends later than now, because `eta` is at least 1.
        for lane_id, queue in list(queues.items()):
            lane = queue.lane
            trip_cents += lane.cost_cents
            queue.packages.sort()  # by rank
            passengers = queue.packages[: lane.capacity]
            arriving = arriving_at.setdefault(time + lane.eta, [])
            for passenger in passengers:
                arriving.append(passenger._replace(next_lane=passenger.next_lane + 1))
            queue.packages = queue.packages[lane.capacity :]
            if not queue.packages:
                del queues[lane_id]

        # 3. If packages still wait, the next trips leave one unit of time later. Otherwise nothing
        #    happens until the next arrival.
        if queues:
            time += 1
        else:
            time = min(arriving_at, default=time)
    return Simulation(arrivals, trip_cents)
