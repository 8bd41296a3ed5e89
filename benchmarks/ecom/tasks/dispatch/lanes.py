"""Lanes: connections of two places over which the packages of a dispatch wave travel.

A lane leads from Breda to a hub, or from there to Utrecht. Time is counted in whole units, a
lane makes at most one trip per unit, and each trip has a random delay. How often and how
long lanes are delayed differs by world; the world's page on dispatch states these rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import shake_128
from typing import Final

from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates

RUNS: Final = 24
"""A plan is simulated so many times with different delays, and graded by its mean gain."""
PERIOD: Final = 64
"""The time units of a run for which delays are drawn. After them, the delays repeat."""


@dataclass(frozen=True, slots=True)
class Lane:
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

    def draw_delays(self, wave_id: str, rates: DispatchRates) -> list[int]:
        """Return random delays of this lane: `PERIOD` values for run 0, then those for run 1, ...

        A run is one of the `RUNS` simulations of a plan. The delays follow from a hash of
        the ids of the wave and the lane, so they are the same in each process and for each
        plan, whatever is drawn elsewhere.
        """
        delayed_share = rates.delayed_percent[self.delay_frequency] / 100
        shortest, longest = rates.delay_units[self.delay_length]
        # Each delay takes two bytes: the first decides if there is a delay, the second its length.
        seed = f"{wave_id}|{self.id}".encode()
        random_bytes = shake_128(seed).digest(2 * RUNS * PERIOD)
        delays = []
        for index in range(0, len(random_bytes), 2):
            first_byte, second_byte = random_bytes[index : index + 2]
            is_delayed = first_byte < delayed_share * 256  # A byte has 256 values.
            delay = 0
            if is_delayed:
                delay = shortest + second_byte % (longest - shortest + 1)
            delays.append(delay)
        return delays
