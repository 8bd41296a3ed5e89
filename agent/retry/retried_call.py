"""Repeats a call after transient failures, with pauses, until a time limit.

A failure is transient if the same call may succeed later: the server was busy. A `RetryPolicy`
has the time limit, and says how long each pause is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from controlplane.agent.retry.retry_policy import RetryPolicy, named_pause_s

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """An attempt that failed transiently, and the pause that follows it."""

    error: Exception
    pause_s: float


def call_with_retry(
    call: Callable[[], Result],
    policy: RetryPolicy,
    *,
    is_transient: Callable[[Exception], bool],
    pause: Callable[[FailedAttempt], bool],
) -> Result:
    """Return the result of `call`, repeating it after transient failures.

    Raises the last failure if it is permanent, if no time is left, or if `pause` returns True.

    Args:
        call: The call without arguments.
        policy: The time limit and the pauses.
        is_transient: Returns whether another attempt may succeed after this error.
        pause: Waits before the next attempt. Returns True if there should be no further one,
            for example because the run was told to stop.
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
            remaining_s = policy.limit_s - (time.monotonic() - started_at)
            pause_s = policy.pause_s(attempt, remaining_s, named_pause_s(error))
            if pause_s is None:
                raise  # No time is left.
            is_ended = pause(FailedAttempt(error, pause_s))
            if is_ended:
                raise
