"""Repeats a call of the benchmark while that may help."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from controlplane.agent.failure_codes import failure_of
from controlplane.agent.retry import FailedAttempt, RetryPolicy, call_with_retry
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

    def may_help(error: Exception) -> bool:
        """Return True if the call may succeed when it is repeated."""
        if stop.is_set() or not isinstance(error, BenchmarkError | CallError):
            return False
        if isinstance(error, CallError) and error.host_broke:
            return False  # A defect of the benchmark's code would break it again.
        return failure_of(error.code).is_environment_fault

    def pause(failed: FailedAttempt) -> bool:
        on_retry(f"{failed.error}; trying again in {failed.pause_s:.1f} s")
        return stop.wait(failed.pause_s)

    try:
        return call_with_retry(
            call, RetryPolicy(limit_s), is_transient=may_help, pause=pause
        )
    except (BenchmarkError, CallError) as error:
        return CallError(error.code, error.message)
