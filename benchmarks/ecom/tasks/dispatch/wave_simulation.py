"""Plays a dispatch plan: integer time, one trip per lane and time unit, a delay drawn for every trip.

The 24 draws are fixed by the wave, whatever the plan. The model, EUR 6.50 per unit late and the delays fit the public
waves; EUR 50 per missed package is a choice of ours, for no recorded plan missed one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import shake_128
from typing import Final

from benchmarks.ecom.tasks.dispatch.transfer_wave import Lane, Wave

RUNS: Final = 24
LATE_CENTS: Final = 650
MISSED_CENTS: Final = 5_000
FREQUENCY: Final[Mapping[str, int]] = {"unlikely": 26, "often": 58, "likely": 90}
"""In how many of 256 trips a lane is delayed."""
LENGTH: Final[Mapping[str, tuple[int, int]]] = {"short": (1, 3), "medium": (2, 4), "long": (5, 8)}
"""The shortest and the longest delay, in time units; all lengths between are equally likely."""
PERIOD: Final = 64
"""The draws of a lane repeat after so many time units."""

Plan = Mapping[str, tuple[int, tuple[str, ...]]]
"""Priority and route by package; a package without a usable route is absent."""


@dataclass(frozen=True, slots=True)
class Played:
    """One run of a plan, in cents."""

    margin: int
    transport: int
    late_units: int
    late: int
    """The number of packages that came late."""
    missed: int

    @property
    def late_cents(self) -> int:
        """The cost of lateness."""
        return self.late_units * LATE_CENTS

    @property
    def missed_cents(self) -> int:
        """The cost of the packages that were not delivered."""
        return self.missed * MISSED_CENTS

    @property
    def gain(self) -> int:
        """The margin that is left."""
        return self.margin - self.transport - self.late_cents - self.missed_cents


def delay_chances(lane: Lane) -> dict[int, float]:
    """Return the probability of every delay of a trip, 0 included."""
    shortest, longest = LENGTH[lane.length]
    chance = FREQUENCY[lane.frequency] / 256
    lengths = range(shortest, longest + 1)
    return {0: 1 - chance, **{each: chance / len(lengths) for each in lengths}}


class Draws:
    """The delays of a wave: one for each run, lane and time of departure."""

    def __init__(self, wave: Wave) -> None:
        self._wave = wave
        self._delays: dict[str, list[int]] = {}

    def delays(self, lane: Lane) -> list[int]:
        """Return the delays of a lane, `PERIOD` of them for each run."""
        found = self._delays.get(lane.id)
        if found is None:
            drawn = shake_128(f"{self._wave.id}|{lane.id}".encode()).digest(2 * RUNS * PERIOD)
            often = FREQUENCY[lane.frequency]
            shortest, longest = LENGTH[lane.length]
            span = longest - shortest + 1
            found = [shortest + drawn[at + 1] % span if drawn[at] < often else 0 for at in range(0, len(drawn), 2)]
            self._delays[lane.id] = found
        return found


def arrivals(wave: Wave, plan: Plan, draws: Draws | None = None, run: int = 0) -> tuple[dict[str, int], int]:
    """Return when each package arrives, and what all trips cost in cents; without draws nothing is delayed."""
    queue: dict[int, list[tuple[str, int]]] = {0: [(each, 0) for each in plan]}
    waiting: dict[str, list[tuple[int, int, str, int]]] = {}
    order = {each: at for at, each in enumerate(wave.packages)}
    arrived: dict[str, int] = {}
    cost = time = 0
    while queue or waiting:
        for package, leg in queue.pop(time, ()):
            priority, route = plan[package]
            if leg == len(route):
                arrived[package] = time
            else:
                waiting.setdefault(route[leg], []).append((priority, order[package], package, leg))
        for lane_id in list(waiting):
            lane, line = wave.lanes[lane_id], waiting[lane_id]
            line.sort()
            delay = draws.delays(lane)[run * PERIOD + time % PERIOD] if draws else 0
            there = queue.setdefault(time + max(lane.eta, 1) + delay, [])
            there += [(package, leg + 1) for _, _, package, leg in line[: lane.capacity]]
            cost += lane.cost_cents
            if len(line) > lane.capacity:
                waiting[lane_id] = line[lane.capacity :]
            else:
                del waiting[lane_id]
        time += 1
    return arrived, cost


def play(wave: Wave, plan: Plan, draws: Draws) -> list[Played]:
    """Return every run of a plan."""
    runs = []
    for run in range(RUNS):
        arrived, cost = arrivals(wave, plan, draws, run)
        late = [units for each, time in arrived.items() if (units := time - wave.packages[each].due) > 0]
        margin = sum(wave.packages[each].margin_cents for each in arrived)
        runs.append(Played(margin, cost, sum(late), len(late), len(wave.packages) - len(arrived)))
    return runs
