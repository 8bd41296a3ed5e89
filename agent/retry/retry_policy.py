"""Repeats a call after transient failures, with growing pauses, within a time limit.

A failure is transient if the same call may succeed later: the server was busy.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

Result = TypeVar("Result")

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


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """An attempt that failed transiently, and the pause that follows it."""

    error: Exception
    pause_s: float


def named_pause_s(error: Exception) -> float | None:
    """Return the pause that an error names, because the server asked for it: 90.0; else None."""
    pause_s: float | None = getattr(error, "retry_after_s", None)
    if pause_s is None or pause_s < SHORTEST_ASKED_PAUSE_S:
        return None
    return pause_s


def no_excluded_time() -> float:
    """Return 0 seconds: all time counts towards the limit, that of pauses, too."""
    return 0.0


def call_with_retry(
    call: Callable[[], Result],
    policy: RetryPolicy,
    *,
    is_transient: Callable[[Exception], bool],
    pause: Callable[[FailedAttempt], bool],
    asked_pause_s: Callable[[Exception], float | None] = named_pause_s,
    excluded_s: Callable[[], float] = no_excluded_time,
) -> Result:
    """Return the result of `call`, repeating it after transient failures.

    Raises the last failure if it is permanent, or if no time is left.

    Args:
        call: The call without arguments.
        policy: The time limit and the pauses.
        is_transient: Returns whether another attempt may succeed after this error.
        pause: Waits before the next attempt. Returns True to end the retries, for example
            because the run was told to stop.
        asked_pause_s: Returns the pause that the server asked for; None if it did not.
        excluded_s: Returns the seconds so far that do not count towards the limit, such as
            those of pauses that the server asked for.
    """
    started_at = time.monotonic()
    attempt = 0
    while True:
        attempt += 1
        try:
            return call()
        except Exception as error:
            if not is_transient(error):
                raise
            elapsed_s = time.monotonic() - started_at - excluded_s()
            remaining_s = policy.limit_s - elapsed_s
            pause_s = policy.pause_s(attempt, remaining_s, asked_pause_s(error))
            if pause_s is None:
                raise  # No time is left.
            is_ended = pause(FailedAttempt(error, pause_s))
            if is_ended:
                raise
