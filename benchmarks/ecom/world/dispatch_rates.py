"""The costs of late and missed packages in one world, and how often and how long trips are delayed.

A page states them, because plans for packages that branches send to each other depend on
them: in one world 8 percent of trips are delayed, in another 15.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from controlplane.benchmarks.ecom.world.wordings import euros


@dataclass(frozen=True, slots=True)
class DispatchRates:
    """The meaning of delay hints in one world, and the costs of late and missed packages.

    A lane (a road between two places) has a hint such as "delays often; short when
    delayed". A page of the world says what its words mean.
    """

    delayed_percent: Mapping[str, float]
    """How many of 100 trips are delayed: `{"unlikely": 8, "often": 20, "likely": 40}`."""
    delay_units: Mapping[str, tuple[int, int]]
    """The shortest and the longest delay: `{"short": (1, 2), "medium": (2, 4), "long": (5, 8)}`.

    They are in time units. All delays between the two are equally likely.
    """
    late_cents: int
    """The cost of each time unit by which a package is late."""
    missed_cents: int
    """The cost of a package that never arrives."""

    def table(self) -> str:
        """Return the rates as the table of a page:

        | word | rate |
        | --- | --- |
        | often | 21 % of trips |
        | short | 1 to 2 time units |
        | late | EUR 4.40 per time unit |
        """
        rows = [("word", "rate"), ("---", "---")]
        for word, percent in self.delayed_percent.items():
            rows.append((word, f"{percent} % of trips"))
        for word, (shortest, longest) in self.delay_units.items():
            rows.append((word, f"{shortest} to {longest} time units"))
        rows.append(("late", f"{euros(self.late_cents)} per time unit"))
        rows.append(("missed", f"{euros(self.missed_cents)} per package"))
        return "\n".join(f"| {word} | {rate} |" for word, rate in rows)


def choose_rates(rng: Random) -> DispatchRates:
    """Choose the rates of one world."""
    shortest_medium = rng.randint(2, 3)
    delayed_percent = {
        "unlikely": rng.randint(5, 13),
        "often": rng.randint(17, 28),
        "likely": rng.randint(31, 45),
    }
    delay_units = {
        "short": (1, rng.randint(2, 3)),
        "medium": (shortest_medium, shortest_medium + rng.randint(1, 3)),
        "long": (rng.randint(5, 6), rng.randint(7, 9)),
    }
    late_cents = 10 * rng.randint(45, 90)
    missed_cents = 100 * rng.randint(40, 80)
    return DispatchRates(delayed_percent, delay_units, late_cents, missed_cents)
