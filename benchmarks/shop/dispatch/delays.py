"""How likely delays are, and what lateness costs, from the words of a shop's page.

A lane of a wave has a hint such as `delays often; short when delayed`. The shop's page says that
`often` means 20 % of trips, and `short` a delay of 1 to 2 units of time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import re2

from controlplane.benchmarks.shop.texts.amounts import money_in_text
from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.sandbox.functions import CannotRead

Chances: TypeAlias = Mapping[int, float]
"""The probability of each delay, by the delay in units of time."""
ON_TIME: Final[Chances] = {0: 1.0}
"""The probabilities of delays if there is never one."""
MAX_DELAY: Final = 999
"""The longest delay in units of time. It limits the work if a caller gives larger delays."""


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


_TABLE_ROW: Final = re2.compile(r"\s*\|([^|]*)\|([^|]*)\|\s*")
"""A row of two cells in a Markdown table."""
_SHARE: Final = re2.compile(r"(\d{1,3}(?:\.\d{1,9})?) ?% of trips")
"""`20 % of trips`"""
_LENGTH: Final = re2.compile(r"(\d{1,3}) to (\d{1,3}) time units")
"""`1 to 3 time units`"""


def read_rates(text: str) -> Rates:
    """Return the rates in the Markdown tables of a page.

    A table of lanes has hints on delays, such as `delays often; short when delayed`. The
    page says what their words mean. The word `late` stands for the price of lateness:

    | often | 20 % of trips |
    | short | 1 to 3 time units |
    | late | EUR 6.50 per time unit |
    """
    shares: dict[str, float] = {}
    lengths: dict[str, DelayLength] = {}
    late_cents = None
    for line in text.splitlines():
        row = _TABLE_ROW.fullmatch(line)
        if row is None:
            continue
        word = normal_words(row[1].strip().strip("`"))
        rate = row[2].strip().strip("`")
        share = _SHARE.fullmatch(rate)
        length = _LENGTH.fullmatch(rate)
        if share:
            shares[word] = min(float(share[1]), 100) / 100
        elif length and int(length[1]) <= int(length[2]):
            lengths[word] = DelayLength(int(length[1]), int(length[2]))
        elif word == "late" and rate.endswith("per time unit"):
            # A price of 0 counts as unknown.
            late_cents = money_in_text(rate) or None
    return Rates(shares, lengths, late_cents)


def rates_in_call(late_cents: int, delays: object) -> Rates:
    """Return the rates in a script's call: `late_cents=650, delays={'often': 20, 'short': [1, 2]}`.

    In `delays`, a word of a hint has either the percentage of delayed trips or the shortest
    and the longest delay. If `late_cents` is 0, which is the default in a call, the price of
    lateness is not known. Raises `CannotRead` for other values.
    """
    if not isinstance(delays, Mapping):
        raise CannotRead(_unreadable_delay("delays"))
    shares: dict[str, float] = {}
    lengths: dict[str, DelayLength] = {}
    for word, rate in delays.items():
        name = normal_words(str(word))
        if isinstance(rate, int | float) and 0 <= rate <= 100:
            shares[name] = rate / 100
        elif _is_pair_of_integers(rate):
            # Numbers that are swapped or too large are not refused: a model writes the call, and
            # it is clear what it means.
            shortest = max(min(rate), 0)
            longest = min(max(rate), MAX_DELAY)
            lengths[name] = DelayLength(shortest, longest)
        else:
            raise CannotRead(_unreadable_delay(word))
    known_late_cents = late_cents if late_cents != 0 else None
    return Rates(shares, lengths, known_late_cents)


def _is_pair_of_integers(rate: object) -> bool:
    """Return True for `[1, 2]`."""
    if not isinstance(rate, Sequence) or len(rate) != 2:
        return False
    return all(isinstance(bound, int) for bound in rate)


def _unreadable_delay(word: object) -> str:
    """Return the message about a word whose rate cannot be read."""
    example = "{'often': 20, 'short': [1, 2]}"
    return f"{word!r} is neither trips in 100 nor [shortest, longest], as in {example}"


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
