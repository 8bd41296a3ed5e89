"""Retries transient failures within a time limit, with growing pauses; a server's Retry-After is honoured."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

Result = TypeVar("Result")

SHORTEST_NAMED_S: Final = 0.05
"""Shorter Retry-After values are ignored in favour of backoff."""
_MOST_DOUBLINGS: Final = 30


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a call is retried, and how long the pauses are."""

    limit_s: float
    """Seconds from the first attempt to the start of the last one."""
    first_pause_s: float = 0.5
    """The first pause is random up to so many seconds, each further one up to twice as many."""
    longest_pause_s: float = 20.0

    def backoff_s(self, attempt: int) -> float:
        """Return the pause after the failed attempt of this number, counted from 1."""
        most_s = self.first_pause_s * 2.0 ** min(attempt - 1, _MOST_DOUBLINGS)
        return random.uniform(0, min(most_s, self.longest_pause_s))


def named_pause_s(error: Exception) -> float | None:
    """Return the pause that a server named in `retry_after_s`; None if it named none, or one too short to count."""
    named_s: float | None = getattr(error, "retry_after_s", None)
    return None if named_s is None or named_s < SHORTEST_NAMED_S else named_s


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """An attempt that failed transiently, and the pause that follows it."""

    error: Exception
    number: int
    """Counted from 1."""
    pause_s: float


def call_with_retry(
    call: Callable[[], Result],
    policy: RetryPolicy,
    *,
    is_transient: Callable[[Exception], bool],
    pause: Callable[[FailedAttempt], bool],
    asked_pause_s: Callable[[Exception], float | None] = named_pause_s,
    excluded_s: Callable[[], float] = lambda: 0.0,
) -> Result:
    """Return what `call` returns; retry failures that are transient. Raises the last failure when the retries end.

    `pause` sits out the pause and returns True if nobody wants the result any more; it may raise to end the retries.
    `asked_pause_s` returns the pause that a failure asks for, None to leave it to the policy. `excluded_s` returns the
    seconds that do not count towards the limit.
    """
    began, number = time.monotonic(), 0
    while True:
        number += 1
        try:
            return call()
        except Exception as error:
            if not is_transient(error):
                raise
            left_s = policy.limit_s - (time.monotonic() - began - excluded_s())
            pause_s = asked_pause_s(error)
            if left_s <= 0 or (pause_s is not None and pause_s > left_s):
                raise
            if pause_s is None:
                pause_s = min(policy.backoff_s(number), left_s)
            if pause(FailedAttempt(error, number, pause_s)):
                raise


class RetryBudget:
    """What all trials of a run share: how many retries are left, and until when a server asked everybody to wait.

    Every retry costs one, and every success gives one back up to the bound: the run lives with an endpoint that fails
    often, and does not hammer one that is down.
    """

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._left = bound
        self._paused_until = 0.0
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Take one retry; return whether there was one left."""
        with self._lock:
            self._left -= 1
            return self._left >= 0

    def give_back(self) -> None:
        """Count one success."""
        with self._lock:
            self._left = min(max(self._left, 0) + 1, self.bound)

    def pause(self, seconds: float) -> None:
        """Let nobody call for so long."""
        with self._lock:
            self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    def paused_s(self) -> float:
        """Return for how many seconds nobody may call; 0 if everybody may."""
        with self._lock:
            return max(self._paused_until - time.monotonic(), 0.0)
