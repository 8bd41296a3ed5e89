"""Dispatch waves: the packages that branches send to each other, and the lanes for them.

A lane leads from Breda to a hub, or from there to Utrecht. Time is counted in whole units, a
lane makes at most one trip per unit, and each trip has a random delay. How often and how
long lanes are delayed differs by world; the world's page on dispatch states these rates.
The tables follow those of the public benchmark (BitGN ECOM).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import shake_128
from typing import Final

from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates

RUNS: Final = 24
"""A plan is simulated so many times with different delays, and graded by its mean gain."""
PERIOD: Final = 64
"""The time units of a run for which delays are drawn. After them, the delays repeat."""


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


def table_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a tab-separated table of at least one row, with the keys of the first as header."""
    lines = ["\t".join(rows[0])]
    for row in rows:
        lines.append("\t".join(str(cell) for cell in row.values()))
    return "".join(f"{line}\n" for line in lines)
