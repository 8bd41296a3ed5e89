"""Dispatch waves: the packages that branches send to each other, and the lanes for them.

A package goes from Breda to Utrecht, over a lane from Breda to a hub and another one from
there to Utrecht. All packages of a wave travel at the same time, and share the lanes. A
task shows both in tables, which follow those of the public benchmark (BitGN ECOM).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from controlplane.benchmarks.ecom.tasks.dispatch.lanes import DispatchLane, LaneDelays
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates


@dataclass(frozen=True, slots=True)
class WavePackage:
    """One package, which a branch sends to another."""

    id: str
    start: str
    """The id of the branch that sends it."""
    end: str
    """The id of the branch that it is for."""
    due: int
    """The time by which it should arrive, in units from the start of the wave."""
    margin_cents: int
    """What its delivery earns."""


@dataclass(frozen=True)
class Wave:
    """The packages and lanes of a wave by id, in the order of their tables."""

    id: str
    packages: Mapping[str, WavePackage]
    lanes: Mapping[str, DispatchLane]
    rates: DispatchRates
    """How often and how long lanes are delayed, and what lateness costs, in this world."""

    @cached_property
    def departures(self) -> Mapping[str, list[DispatchLane]]:
        """The lanes that start at each place."""
        departures: dict[str, list[DispatchLane]] = {}
        for lane in self.lanes.values():
            departures.setdefault(lane.start, []).append(lane)
        return departures

    @cached_property
    def delays(self) -> Mapping[str, LaneDelays]:
        """The delays of each lane, by its id. All plans meet the same ones."""
        return {
            lane.id: lane.draw_delays(self.id, self.rates)
            for lane in self.lanes.values()
        }

    def table_of_lanes(self) -> str:
        """Return the lanes as a tab-separated table with a header, as a task shows them."""
        return table_text([lane.row() for lane in self.lanes.values()])

    def connects(self, package: WavePackage, route: tuple[str, ...]) -> bool:
        """Return True if a route's lanes exist and lead from the package's start to its end.

        `("lane-a-hub", "lane-hub-b")` connects a package from `a` to `b`, and no other.
        """
        place = package.start
        for lane_id in route:
            lane = self.lanes.get(lane_id)
            if lane is None or lane.start != place:
                return False
            place = lane.end
        return place == package.end


def table_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a tab-separated table of at least one row, with the keys of the first as header.

    `[{"lane_id": "lane-a-hub", "eta": 2}]` -> `lane_id\teta\nlane-a-hub\t2\n`
    """
    lines = ["\t".join(rows[0])]
    for row in rows:
        lines.append("\t".join(str(cell) for cell in row.values()))
    return "".join(f"{line}\n" for line in lines)
