"""Makes a lifecycle call again while it fails in passing: a run must not be lost to one failed call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import tenacity

from controlplane.benchmark import BenchmarkError
from sandbox.interface import CallError

Result = TypeVar("Result")

PASSING: Final = frozenset(
    {"unavailable", "deadline_exceeded", "resource_exhausted", "internal", "unknown", "aborted", "canceled"}
)
"""Codes of failures that may pass."""
MENDABLE: Final = PASSING | {"unauthenticated"}
"""Codes of failures after which the same call may yet succeed: by itself, or once somebody has mended a key."""
SHORTEST_NAMED_S: Final = 0.05
"""A shorter pause than this is none, and the own growing pauses take its place."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that failed for good, or for longer than anybody waits."""

    code: str
    message: str

    @property
    def may_pass(self) -> bool:
        """The same call may yet succeed."""
        return self.code in MENDABLE

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def call_with_retry(
    call: Callable[[], Result],
    *,
    patience_s: float,
    stop: threading.Event,
    on_retry: Callable[[str], None] = lambda text: None,
) -> Result | FailedCall:
    """Return what `call` returns, or why it failed for good. A failure that may pass is tried again for `patience_s`
    seconds, or until `stop` is set; a pause that the benchmark names is obeyed."""
    pause = tenacity.wait_exponential_jitter(multiplier=0.5, max=20.0)

    def wait_s(state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        named = error.retry_after_s if isinstance(error, BenchmarkError) else None
        return named if named is not None and named >= SHORTEST_NAMED_S else pause(state)

    def tell(state: tenacity.RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        on_retry(f"{error}; trying again in {state.upcoming_sleep:.1f} s")

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(
            lambda error: isinstance(error, BenchmarkError | CallError) and error.code in PASSING
        ),
        stop=tenacity.stop_any(tenacity.stop_before_delay(patience_s), tenacity.stop_when_event_set(stop)),
        wait=wait_s,
        sleep=tenacity.sleep_using_event(stop),
        before_sleep=tell,
        reraise=True,
    )
    try:
        return retrying(call)
    except (BenchmarkError, CallError) as error:
        return FailedCall(error.code, error.message)
