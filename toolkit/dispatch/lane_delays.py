"""How late trips of a lane are: the chances that its hint speaks of, and what lateness costs.

The figures fit the public waves: 26, 58 and 90 of 256 trips, and EUR 6.50 for each unit of time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

Chances: TypeAlias = tuple[tuple[int, float], ...]
"""Delays in units of time, with their probabilities."""
ON_TIME: Final[Chances] = ((0, 1.0),)
LATE_CENTS: Final = 650
"""The cost of one unit of time behind the due time of a package."""
_OFTEN: Final = (("unlikely", 26 / 256), ("rare", 26 / 256), ("often", 58 / 256), ("likely", 90 / 256))
_LONG: Final = (("short", (1, 3)), ("medium", (2, 4)), ("long", (5, 8)))


def delay_chances(hint: str) -> Chances:
    """Return the chances of every delay that a hint such as `delays often; short when delayed` means."""
    words = set(re.findall(r"[a-z]+", hint.casefold()))
    chance = next((each for word, each in _OFTEN if word in words), 0.0)
    span = next((each for word, each in _LONG if word in words), None)
    if not chance or span is None:
        return ON_TIME
    lengths = range(span[0], span[1] + 1)
    return ((0, 1 - chance), *((each, chance / len(lengths)) for each in lengths))


def summed(chances: Iterable[Chances]) -> Chances:
    """Return the chances of the sum of independent delays."""
    total = {0: 1.0}
    for each in chances:
        sums: dict[int, float] = {}
        for before, likely in total.items():
            for delay, chance in each:
                sums[before + delay] = sums.get(before + delay, 0.0) + likely * chance
        total = sums
    return tuple(total.items())


def late_cents(chances: Chances, spare: int) -> float:
    """Return the expected cost of lateness if so many units of time are left without delay."""
    return LATE_CENTS * sum(chance * (delay - spare) for delay, chance in chances if delay > spare)
