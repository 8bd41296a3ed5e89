"""How long to pause before a call is repeated after a transient failure, and when to give up.

A failure is transient if the same call may succeed later: the server was busy. Pauses grow with
each attempt, and are random, so that many callers do not ask again at the same moment.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

MAX_DOUBLINGS: Final = 30
"""The pause stops doubling here, because 2.0 ** 1024 overflows."""

SHORTEST_ASKED_PAUSE_S: Final = 0.05
"""A server's wish for a shorter pause, such as `Retry-After: 0`, is ignored."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The time limit and the pauses of a retried call."""

    limit_s: float
    """Seconds from the start of the first attempt to the start of the last one."""
    first_pause_s: float = 0.5
    """The upper bound of the first random pause in seconds. It doubles with each attempt."""
    longest_pause_s: float = 20.0
    """The upper bound of all random pauses."""

    def backoff_s(self, attempt: int) -> float:
        """Return the random pause in seconds after a failed attempt, counted from 1."""
        doublings = min(attempt - 1, MAX_DOUBLINGS)
        upper_bound_s = min(self.first_pause_s * 2.0**doublings, self.longest_pause_s)
        return random.uniform(0, upper_bound_s)

    def pause_s(
        self, attempt: int, remaining_s: float, asked_s: float | None
    ) -> float | None:
        """Return the pause before the next attempt; None if no time is left for it.

        `asked_s` is the pause that the server asks for; None if it does not.
        """
        if remaining_s <= 0:
            return None
        if asked_s is None:
            return min(self.backoff_s(attempt), remaining_s)
        return asked_s if asked_s <= remaining_s else None


def named_pause_s(error: Exception) -> float | None:
    """Return the pause that an error names, because the server asked for it: 90.0; else None."""
    pause_s: float | None = getattr(error, "retry_after_s", None)
    if pause_s is None or pause_s < SHORTEST_ASKED_PAUSE_S:
        return None
    return pause_s
