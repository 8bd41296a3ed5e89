"""Reads the rates of delays in a script's call: `delays={'often': 20, 'short': [1, 2]}`.

A script states rates if no page of the shop gives them, or if a notice has changed them. A
model has written the call, so small mistakes are mended, and others are told with an example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.benchmarks.shop.dispatch.delays import DelayLength, Rates
from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.sandbox.functions import CannotRead

MAX_DELAY: Final = 999
"""The longest delay in units of time. It limits the work if a caller gives larger delays."""


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
