"""How likely delays of a lane are, by the words of its hint.

A lane of a dispatch wave has a hint such as `delays often; short when delayed`. If `often` means
20 % of trips, and `short` a delay of 1 to 2 units of time, then 8 of 10 trips are on time, and 1
of 10 is late by each of 1 and 2 units.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from controlplane.benchmarks.shop.texts.text import normal_words

Chances: TypeAlias = Mapping[int, float]
"""The probability of each delay, by the delay in units of time."""
ON_TIME: Final[Chances] = {0: 1.0}
"""The probabilities of delays if there is never one."""


@dataclass(frozen=True, slots=True)
class DelayLength:
    """The shortest and the longest delay in units of time."""

    shortest: int
    longest: int


@dataclass(frozen=True, slots=True)
class Rates:
    """What the words in delay hints mean, and the price of lateness.

    A hint such as `delays often; short when delayed` describes the delays of a lane. The
    shop's page gives the rates. A caller may replace some of them (`changed_by`).
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    """The share of trips that are delayed, from 0 to 1, by a word of a hint such as `often`."""
    lengths: Mapping[str, DelayLength] = field(default_factory=dict)
    """The length of delays, by a word of a hint such as `short`."""
    late_cents: int | None = None
    """The price of each unit of time that a package is late; None if unknown."""

    def changed_by(self, changes: Rates) -> Rates:
        """Return these rates with the values of `changes`, where it has any."""
        late_cents = self.late_cents
        if changes.late_cents is not None:
            late_cents = changes.late_cents
        return Rates(
            {**self.shares, **changes.shares},
            {**self.lengths, **changes.lengths},
            late_cents,
        )

    def chances(self, hint: str) -> Chances | None:
        """Return the probability of each delay for a hint: `delays often; short when delayed`.

        If `often` is 20 % of trips and `short` 1 to 2 units, it is `{0: 0.8, 1: 0.1, 2: 0.1}`:
        all lengths are equally likely. The result is None unless the hint names one share
        (`often`) and one length (`short`).
        """
        words = normal_words(hint).split()
        shares = {self.shares[word] for word in words if word in self.shares}
        lengths = {self.lengths[word] for word in words if word in self.lengths}
        if len(shares) != 1 or len(lengths) != 1:
            return None
        share = shares.pop()
        length = lengths.pop()
        delays = range(length.shortest, length.longest + 1)
        chances = {0: 1 - share}
        for delay in delays:
            # If the shortest delay is 0, its probability replaces that of being on time.
            chances[delay] = share / len(delays)
        return chances


def summed(chances: Iterable[Chances]) -> Chances:
    """Return the probabilities of the sum of independent delays.

    Two delays of 0 or 1, each with `{0: 0.5, 1: 0.5}` -> `{0: 0.25, 1: 0.5, 2: 0.25}`
    """
    total = ON_TIME
    for next_chances in chances:
        sums: dict[int, float] = {}
        for sum_so_far, sum_chance in total.items():
            for delay, chance in next_chances.items():
                new_sum = sum_so_far + delay
                sums[new_sum] = sums.get(new_sum, 0.0) + sum_chance * chance
        total = sums
    return total
