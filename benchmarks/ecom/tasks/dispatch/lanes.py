"""Lanes: connections of two places over which the packages of a dispatch wave travel.

A lane leads from Breda to a hub, or from there to Utrecht. Time is counted in whole units, a
lane makes at most one trip per unit, and each trip has a random delay. How often and how
long lanes are delayed differs by world; the world's page on dispatch states these rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import shake_128
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates

RUNS: Final = 24
"""A plan is simulated so many times with different delays, and graded by its mean gain."""
PERIOD: Final = 64
"""The time units of a run for which delays are drawn. After them, the delays repeat."""


@dataclass(frozen=True, slots=True)
class DispatchLane:
    """One lane: the capacity, cost and travel time of a trip, and how often trips are delayed."""

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
    """`unlikely`, `often` or `likely`. What that means in percent is in `DispatchRates`."""
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

    def delay_chances(self, rates: DispatchRates) -> dict[int, float]:
        """Return the probability of each delay of one trip, in this world's rates.

        If 10 percent of the trips are delayed, by 2 or 3 units: `{0: 0.9, 2: 0.05, 3: 0.05}`
        """
        shortest, longest = rates.delay_units[self.delay_length]
        delayed_share = rates.delayed_percent[self.delay_frequency] / 100
        chances = {0: 1 - delayed_share}
        for delay in range(shortest, longest + 1):  # All of these are equally likely.
            chances[delay] = delayed_share / (longest - shortest + 1)
        return chances

    def draw_delays(self, wave_id: str, rates: DispatchRates) -> LaneDelays:
        """Return random delays of this lane, for each time unit of each run.

        The delays follow from a hash of the ids of the wave and the lane, so they are the same
        in each process and for each plan, whatever is drawn elsewhere.
        """
        seed = f"{wave_id}|{self.id}".encode()
        return LaneDelays(
            random_bytes=shake_128(seed).digest(2 * RUNS * PERIOD),
            delayed_share=rates.delayed_percent[self.delay_frequency] / 100,
            possible_units=rates.delay_units[self.delay_length],
        )


class LaneDelays(NamedTuple):
    """The random delays of one lane in all runs. A run is one of the `RUNS` simulations of a plan.

    A plan needs few of the delays, so each is read from random bytes when it is asked for.
    """

    random_bytes: bytes
    """Two for each time unit of run 0, then those of run 1, and so on."""
    delayed_share: float
    """The share of the trips that are delayed."""
    possible_units: tuple[int, int]
    """The shortest and the longest delay."""

    def at(self, run: int, time: int) -> int:
        """Return the delay, in time units, of a trip that starts at this time of a run.

        The delays of a run repeat after `PERIOD` time units.
        """
        index = 2 * (run * PERIOD + time % PERIOD)
        # The first byte, one of 256 values, decides if there is a delay; the second, how long it is.
        if self.random_bytes[index] >= self.delayed_share * 256:
            return 0
        shortest, longest = self.possible_units
        return shortest + self.random_bytes[index + 1] % (longest - shortest + 1)
