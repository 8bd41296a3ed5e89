"""Repeats a call of the benchmark while that may help."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from controlplane.agent.failure_codes import failure_of
from controlplane.agent.retry import RetryPolicy, named_pause_s
from controlplane.benchmark import BenchmarkError
from controlplane.sandbox.interface import CallError

Result = TypeVar("Result")


def _ignore_text(text: str) -> None:
    """Do nothing: nobody listens for retries."""


def call_or_failure(
    call: Callable[[], Result],
    *,
    limit_s: float,
    stop: threading.Event,
    on_retry: Callable[[str], None] = _ignore_text,
) -> Result | CallError:
    """Return the result of a call of the benchmark, repeated while that may help.

    The call is given up after `limit_s` seconds, when `stop` is set, or at a failure
    that a repetition cannot mend. The failure is then returned as a `CallError`, and
    not raised. `on_retry` gets a line about each retry.
    """

    policy = RetryPolicy(limit_s)
    began_at = time.monotonic()
    attempt = 0
    while True:
        attempt += 1
        try:
            return call()
        except (BenchmarkError, CallError) as error:
            failure = CallError(error.code, error.message)
            # A defect of the benchmark's code would break it again.
            is_defect = isinstance(error, CallError) and error.host_broke
            may_pass = failure_of(error.code).is_environment_fault and not is_defect
            if stop.is_set() or not may_pass:
                return failure
            remaining_s = limit_s - (time.monotonic() - began_at)
            pause_s = policy.pause_s(attempt, remaining_s, named_pause_s(error))
            if pause_s is None:
                return failure
            on_retry(f"{error}; trying again in {pause_s:.1f} s")
        was_stopped = stop.wait(pause_s)
        if was_stopped:
            return failure
