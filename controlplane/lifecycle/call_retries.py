"""Retries the calls that end a trial, submit a run or ask for its scores, after every failure that may pass.

These calls are idempotent, so one that may have happened is made again as well.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from agent.retry import FailedAttempt, RetryPolicy, call_with_retry, failure_of, may_yet_succeed
from controlplane.benchmark import BenchmarkError
from sandbox.interface import CallError

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that failed for good, or for longer than anybody waits."""

    code: str
    message: str

    @property
    def may_pass(self) -> bool:
        """The same call may yet succeed."""
        return may_yet_succeed(self.code)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def call_or_failure(
    call: Callable[[], Result],
    *,
    limit_s: float,
    stop: threading.Event,
    on_retry: Callable[[str], None] = lambda text: None,
) -> Result | FailedCall:
    """Return what `call` returns, or why it failed: for good, for `limit_s` seconds, or until `stop` was set."""

    def is_transient(error: Exception) -> bool:
        if stop.is_set() or not isinstance(error, BenchmarkError | CallError):
            return False
        return failure_of(error.code).is_tooling and not getattr(error, "host_broke", False)

    def pause(failed: FailedAttempt) -> bool:
        on_retry(f"{failed.error}; trying again in {failed.pause_s:.1f} s")
        return stop.wait(failed.pause_s)

    try:
        return call_with_retry(call, RetryPolicy(limit_s), is_transient=is_transient, pause=pause)
    except (BenchmarkError, CallError) as error:
        return FailedCall(error.code, error.message)
