"""Dispatch waves: packages, lanes with delays, and the simulation of a plan.

Branches send packages to each other over lanes: from Breda to a hub, from there to
Utrecht. Time is counted in whole units, a lane makes at most one trip per unit, and each
trip has a random delay. The simulation says when each package arrives, and what the trips
cost. The rates of delays and costs differ by world and are stated in the world's page
on dispatch. Tables and trips follow those of the public benchmark (BitGN ECOM).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import shake_128
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates

RUNS: Final = 24
"""A plan is simulated so many times with different delays, and graded by its mean gain."""
PERIOD: Final = 64
"""The time units of a run for which delays are drawn. After them, the delays repeat."""


class Assignment(NamedTuple):
    """The priority and the route of one package."""

    priority: int
    """At a full lane, packages with the lowest number go first."""
    route: tuple[str, ...]
    """The ids of the package's lanes, in order."""


Plan = Mapping[str, Assignment]
"""The assignment of each package by its id. A package without a usable route is missing."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package."""

    id: str
    start: str
    """The id of the branch that sends it."""
    end: str
    """The id of the branch that it is for."""
    due: int
    """The time by which it should arrive, in units from the start of the wave."""
    margin_cents: int
    """What its delivery earns."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: the capacity and cost of a trip, its travel time without delay, and its delays."""

    id: str
    start: str
    """The id of a branch or the name of a hub, where packages change lanes."""
    end: str
    capacity: int
    """The most packages of one trip."""
    eta: int
    """The time units of a trip without delay."""
    cost_cents: int
    """The cost of one trip, however many packages it carries."""
    delay_frequency: str
    """`unlikely`, `often` or `likely`."""
    delay_length: str
    """`short`, `medium` or `long`."""

    def row(self) -> dict[str, object]:
        """Return the lane as a row of the table of lanes."""
        return {
            "lane_id": self.id,
            "from": self.start,
            "to": self.end,
            "capacity": self.capacity,
            "eta": self.eta,
            "cost_cents": self.cost_cents,
            "delay_hint": f"delays {self.delay_frequency}; {self.delay_length} when delayed",
        }


@dataclass(frozen=True)
class Wave:
    """The packages and lanes of a wave by id, in the order of their tables."""

    id: str
    packages: Mapping[str, Package]
    lanes: Mapping[str, Lane]
    rates: DispatchRates

    @cached_property
    def departures(self) -> Mapping[str, list[Lane]]:
        """The lanes that start at each place."""
        lanes: dict[str, list[Lane]] = {}
        for lane in self.lanes.values():
            lanes.setdefault(lane.start, []).append(lane)
        return lanes

    @cached_property
    def delays(self) -> Mapping[str, Sequence[int]]:
        """The delays of each lane: first `PERIOD` values for run 0, then those for run 1, ...

        A plan is simulated `RUNS` times. Delays depend only on the wave and the run, so all
        plans meet the same ones.
        """
        return {lane.id: self._draw_delays(lane) for lane in self.lanes.values()}

    def _draw_delays(self, lane: Lane) -> list[int]:
        """Return the delays of a lane in all runs, drawn from a hash of its id.

        So a lane has the same delays in each process, whatever is drawn elsewhere.
        """
        share_delayed = self.rates.delayed_percent[lane.delay_frequency] / 100
        shortest, longest = self.rates.delay_units[lane.delay_length]
        # Each delay takes two bytes: the first decides if there is a delay, the second its length.
        random_bytes = shake_128(f"{self.id}|{lane.id}".encode()).digest(
            2 * RUNS * PERIOD
        )
        delays = []
        for index in range(0, len(random_bytes), 2):
            first_byte, second_byte = random_bytes[index : index + 2]
            is_delayed = first_byte < share_delayed * 256  # A byte has 256 values.
            delay = 0
            if is_delayed:
                delay = shortest + second_byte % (longest - shortest + 1)
            delays.append(delay)
        return delays

    def delay(self, lane_id: str, run: int, time: int) -> int:
        """Return the delay of a trip that starts at this time of a run.

        Delays are drawn for `PERIOD` time units, and repeat after them.
        """
        first_index_of_run = run * PERIOD
        return self.delays[lane_id][first_index_of_run + time % PERIOD]

    def connects(self, package: Package, route: tuple[str, ...]) -> bool:
        """Return True if a route's lanes exist and lead from the package's start to its end."""
        place = package.start
        for lane_id in route:
            lane = self.lanes.get(lane_id)
            if lane is None or lane.start != place:
                return False
            place = lane.end
        return place == package.end


@dataclass(frozen=True, slots=True)
class Trips:
    """The arrivals and the cost of a simulated plan."""

    arrivals: dict[str, int]
    """The time at which each package reached its end."""
    cost_cents: int
    """The cost of all trips."""


class _PackageAtPlace(NamedTuple):
    """A package that is at a place on its route."""

    package: str
    """The id of the package."""
    lanes_passed: int
    """The number of lanes of its route that it has left behind."""


class _PackageInQueue(NamedTuple):
    """A package that waits for a lane. A queue is sorted by these fields, in order."""

    priority: int
    """The priority that the plan gives to the package; the lowest number goes first."""
    row: int
    """The row of the package in the table of packages. It decides between equal priorities."""
    package: str
    """The id of the package."""
    lanes_passed: int
    """The number of lanes of its route that it has left behind."""


def simulate(wave: Wave, plan: Plan, run: int | None = None) -> Trips:
    """Simulate the trips of a plan's packages. If `run` is None, no trip is delayed.

    In each time unit, every lane with waiting packages makes one trip with as many
    packages as it can carry. The lowest priority number goes first, then the order of
    the table counts.
    """
    row_of_package = {package: row for row, package in enumerate(wave.packages)}
    # The packages that reach a place at each time. At first, all of them are at their start.
    reaching = {0: [_PackageAtPlace(package, lanes_passed=0) for package in plan]}
    # The packages that wait for each lane.
    waiting: dict[str, list[_PackageInQueue]] = {}
    arrivals: dict[str, int] = {}
    cost_cents = 0
    time = 0
    while reaching or waiting:
        # 1. Packages at a place queue for their next lane.
        for package, lanes_passed in reaching.pop(time, []):
            priority, route = plan[package]
            if lanes_passed == len(route):
                arrivals[package] = time
                continue
            row = row_of_package[package]
            next_lane = route[lanes_passed]
            queue = waiting.setdefault(next_lane, [])
            queue.append(_PackageInQueue(priority, row, package, lanes_passed))

        # 2. Each lane with a queue makes a trip.
        for lane_id in list(waiting):
            lane = wave.lanes[lane_id]
            queue = sorted(waiting[lane_id])
            delay = 0
            if run is not None:
                delay = wave.delay(lane_id, run, time)
            # A trip takes at least one unit.
            end_time = time + max(lane.eta, 1) + delay
            trip_end = reaching.setdefault(end_time, [])
            for passenger in queue[: lane.capacity]:
                trip_end.append(
                    _PackageAtPlace(passenger.package, passenger.lanes_passed + 1)
                )
            cost_cents += lane.cost_cents
            if len(queue) > lane.capacity:
                waiting[lane_id] = queue[lane.capacity :]
            else:
                del waiting[lane_id]

        # 3. Advance the time: by one unit if packages wait, else to the next arrival.
        if waiting:
            time += 1
        elif reaching:
            time = min(reaching)
    return Trips(arrivals, cost_cents)


@dataclass(frozen=True, slots=True)
class RunResult:
    """The earnings and costs of one run of a plan, in cents."""

    margin: int
    transport: int
    late_cost: int
    late: int
    """The number of packages that arrived late."""
    missed_cost: int
    missed: int
    """The number of packages that never arrived."""

    @property
    def gain(self) -> int:
        """The margin minus all costs."""
        return self.margin - self.transport - self.late_cost - self.missed_cost


def run_results(wave: Wave, plan: Plan) -> list[RunResult]:
    """Return the result of every run of a plan."""
    return [_run_result(wave, plan, run) for run in range(RUNS)]


def _run_result(wave: Wave, plan: Plan, run: int) -> RunResult:
    trips = simulate(wave, plan, run)
    margin = 0
    late = 0
    late_units = 0
    for package_id, arrival in trips.arrivals.items():
        package = wave.packages[package_id]
        margin += package.margin_cents
        if arrival > package.due:
            late += 1
            late_units += arrival - package.due
    missed = len(wave.packages) - len(trips.arrivals)
    return RunResult(
        margin=margin,
        transport=trips.cost_cents,
        late_cost=late_units * wave.rates.late_cents,
        late=late,
        missed_cost=missed * wave.rates.missed_cents,
        missed=missed,
    )


def mean_gain(wave: Wave, plan: Plan) -> int:
    """Return the mean gain of a plan over all runs, in whole cents."""
    results = run_results(wave, plan)
    return sum(result.gain for result in results) // len(results)
