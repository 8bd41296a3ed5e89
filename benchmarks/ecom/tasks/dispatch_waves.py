"""Dispatch waves: packages, lanes with delays, and the simulation of a plan.

Tables and trips follow the public benchmark's waves: integer time, one trip per lane and time
unit, a delay drawn for every trip. The rates of delays and costs differ by world; the world's
document on dispatch states them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import shake_128
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.world.company import DispatchRates

RUNS: Final = 24
"""A plan is graded by its mean gain over this many runs."""
PERIOD: Final = 64
"""The delays of a lane repeat after this many time units."""


class Assignment(NamedTuple):
    """How one package travels."""

    priority: int
    """At a full lane, the lowest number goes first."""
    route: tuple[str, ...]
    """The ids of the lanes that it takes, one after another."""


Plan = Mapping[str, Assignment]
"""The assignment of each package, by its id; a package without a usable route is absent."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package. `due` is in time units from the start of the wave."""

    id: str
    start: str
    end: str
    due: int
    margin_cents: int


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane, with the capacity and the cost of one trip, and its travel time without delay."""

    id: str
    start: str
    end: str
    capacity: int
    eta: int
    cost_cents: int
    frequency: str
    """Frequency of delays: `unlikely`, `often` or `likely`."""
    length: str
    """Length of delays: `short`, `medium` or `long`."""

    def row(self) -> dict[str, object]:
        """Return the lane as the table shows it."""
        return {
            "lane_id": self.id,
            "from": self.start,
            "to": self.end,
            "capacity": self.capacity,
            "eta": self.eta,
            "cost_cents": self.cost_cents,
            "delay_hint": f"delays {self.frequency}; {self.length} when delayed",
        }


@dataclass(frozen=True)
class Wave:
    """Packages and lanes by id, in the order of their tables."""

    id: str
    packages: Mapping[str, Package]
    lanes: Mapping[str, Lane]
    rates: DispatchRates

    @cached_property
    def departures(self) -> Mapping[str, list[Lane]]:
        """The lanes that leave each place."""
        lanes: dict[str, list[Lane]] = {}
        for lane in self.lanes.values():
            lanes.setdefault(lane.start, []).append(lane)
        return lanes

    @cached_property
    def delays(self) -> Mapping[str, Sequence[int]]:
        """The delays of each lane, `PERIOD` of them for each run.

        The wave alone fixes them, not the plan, so that all plans meet the same delays.
        """
        return {lane.id: self._draw_delays(lane) for lane in self.lanes.values()}

    def _draw_delays(self, lane: Lane) -> list[int]:
        # Two bytes for each delay: whether there is one, and how long it is.
        drawn = shake_128(f"{self.id}|{lane.id}".encode()).digest(2 * RUNS * PERIOD)
        delayed_below = self.rates.frequency[lane.frequency] / 100 * 256
        shortest, longest = self.rates.length[lane.length]
        lengths = longest - shortest + 1
        delays = []
        for place in range(0, len(drawn), 2):
            delay = 0
            if drawn[place] < delayed_below:
                delay = shortest + drawn[place + 1] % lengths
            delays.append(delay)
        return delays

    def delay(self, lane_id: str, run: int, time: int) -> int:
        """Return the delay of a trip that begins at a time of a run."""
        return self.delays[lane_id][run * PERIOD + time % PERIOD]

    def connects(self, package: Package, route: tuple[str, ...]) -> bool:
        """Return True if the lanes of a route exist and lead from the package's start to its
        end."""
        place = package.start
        for lane_id in route:
            lane = self.lanes.get(lane_id)
            if lane is None or lane.start != place:
                return False
            place = lane.end
        return place == package.end


@dataclass(frozen=True, slots=True)
class Trips:
    """What became of the packages of a plan."""

    arrivals: dict[str, int]
    """The time at which each package arrived at its end."""
    cost_cents: int
    """The cost of all trips."""


class _PackageAtPlace(NamedTuple):
    """A package that is at a place on its route."""

    package: str
    lanes_passed: int


class _PackageInQueue(NamedTuple):
    """A package that waits for a lane. Sorted by its fields, the first ones go first."""

    priority: int
    place_in_table: int
    package: str
    lanes_passed: int


def simulate(wave: Wave, plan: Plan, run: int | None = None) -> Trips:
    """Let the packages of a plan travel; without a run nothing is delayed.

    At each time unit every lane with waiting packages makes one trip, with as many packages as its
    capacity allows: those of the lowest priority number first, then in the order of the table.
    """
    places_in_table = {package: place for place, package in enumerate(wave.packages)}
    # By time, the packages that reach a place; by lane, those that wait for it.
    reaching: dict[int, list[_PackageAtPlace]] = {
        0: [_PackageAtPlace(package, 0) for package in plan]
    }
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
            place = places_in_table[package]
            queue = waiting.setdefault(route[lanes_passed], [])
            queue.append(_PackageInQueue(priority, place, package, lanes_passed))

        # 2. Each lane with a queue makes a trip.
        for lane_id in list(waiting):
            lane = wave.lanes[lane_id]
            queue = sorted(waiting[lane_id])
            delay = 0
            if run is not None:
                delay = wave.delay(lane_id, run, time)
            trip_end = reaching.setdefault(time + max(lane.eta, 1) + delay, [])
            for passenger in queue[: lane.capacity]:
                trip_end.append(_PackageAtPlace(passenger.package, passenger.lanes_passed + 1))
            cost_cents += lane.cost_cents
            if len(queue) > lane.capacity:
                waiting[lane_id] = queue[lane.capacity :]
            else:
                del waiting[lane_id]

        # 3. Go on to the next trip or arrival.
        if waiting:
            time += 1
        elif reaching:
            time = min(reaching)
    return Trips(arrivals, cost_cents)


@dataclass(frozen=True, slots=True)
class RunResult:
    """What one run of a plan earned and cost, in cents."""

    margin: int
    transport: int
    late_cost: int
    late: int
    """The number of packages that came late."""
    missed_cost: int
    missed: int
    """The number of packages that never arrived."""

    @property
    def gain(self) -> int:
        """The remaining margin."""
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
