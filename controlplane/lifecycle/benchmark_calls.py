"""Watches and retries calls of a benchmark: notes outages, and failures to start trials.

If every further trial would fail the same way, the run pauses; a failure of one trial costs only that trial. Calls that
end a trial, submit a run or ask for its scores are idempotent, so they are retried after every transient failure.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

from agent.evidence import BegunCall, Environment
from agent.loop import LeftOpen
from agent.retry import FailedAttempt, RetryPolicy, call_with_retry, failure_of
from controlplane.benchmark import BenchmarkError
from controlplane.errors import Unreachable
from sandbox.interface import CallError, Plain, Surface, error_codes, plain_result

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that failed permanently, or beyond its time limit."""

    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def call_or_failure(
    call: Callable[[], Result],
    *,
    limit_s: float,
    stop: threading.Event,
    on_retry: Callable[[str], None] = lambda text: None,
) -> Result | FailedCall:
    """Return the result of `call`, or its failure: permanent, lasting `limit_s` seconds, or until `stop` was set."""

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


LONGEST_OUTAGE_S: Final = 300.0
"""Seconds without a call that reaches the benchmark after which the run pauses."""
FAILED_STARTS: Final = 10
"""Consecutive trials that cannot start after which every further trial is expected to fail."""


@dataclass(slots=True)
class HealthMonitor:
    """Tracks the health of the benchmark. Used from many threads at once."""

    known_failed: frozenset[str] = frozenset()
    """Trials that could not start before; their second failures do not count."""
    moved_at: float = 0.0
    """When the benchmark last started or ended a trial, on the monotonic clock."""
    _outage_since: float | None = None
    """Start of the current streak of unreachable calls."""
    _failed_starts: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answered(self) -> None:
        self._outage_since = None

    def started(self) -> None:
        self.moved()
        with self._lock:
            self._failed_starts = 0

    def moved(self) -> None:
        """Note that the benchmark started or ended a trial."""
        self.moved_at = time.monotonic()
        self.answered()

    def outage_s(self, began: float) -> float:
        """Note an unreachable call that `began` then; return the length of the current outage, in seconds."""
        with self._lock:
            if self._outage_since is None:
                self._outage_since = began
            return time.monotonic() - self._outage_since

    def fails_all(self, trial_id: str, code: str, began: float) -> bool:
        """Note a failed start that `began` then; return whether every other trial would fail the same way."""
        failure = failure_of(code)
        if failure.is_unreachable and self.moved_at < began:
            return True
        has_ended = code == error_codes.FAILED_PRECONDITION
        if has_ended or trial_id in self.known_failed:
            return False
        with self._lock:
            self._failed_starts += 1
            is_refused_to_all = failure.fails_all and not failure.transient
            return is_refused_to_all or self._failed_starts >= FAILED_STARTS


@dataclass(frozen=True, slots=True)
class WatchedEnvironment:
    """A trial's environment whose calls report to the health monitor."""

    environment: Environment
    surface: Surface
    """The part of the environment's declaration that the trial is offered."""
    health: HealthMonitor
    pause: Callable[[Exception], None]
    """Called if every trial would fail the same way."""
    stop: threading.Event
    """Set if the trial is to be left open; failed calls are then not retried."""
    report_fault: Callable[[BaseException], None]
    """Called with every error that environments may not raise."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`.

        Raises `LeftOpen` if a reading call failed after the stop: the call is made again when the trial is resumed, so
        its script must not see the failure.
        """
        return self.watched(partial(self.environment.call, operation, arguments), operation, arguments)

    def begin(self, operation: str, arguments: Mapping[str, Plain]) -> BegunCall:
        """Begin a call that only reads; its `finish` returns and raises as `call` does."""
        begin: Callable[[str, Mapping[str, Plain]], BegunCall] | None = getattr(self.environment, "begin", None)
        made = begin(operation, arguments).finish if begin else partial(self.environment.call, operation, arguments)
        return _WatchedCall(self, made, operation, arguments)

    def watched(
        self, make: Callable[[], dict[str, Plain]], operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the result of `make`, raising as `call` does."""
        try:
            made = self._watch(make)
            plain_result(operation, lambda: made)
        except CallError as error:
            if error.host_broke:
                self.report_fault(TypeError(error.message))
            is_given_up = self.stop.is_set() and failure_of(error.code).is_tooling
            if is_given_up and not self.surface.may_change(operation, arguments):
                raise LeftOpen from error
            raise
        return made

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        self._watch(partial(self.environment.answer, message, outcome, refs))

    def now(self) -> datetime | None:
        return self._watch(self.environment.now)

    def _watch(self, make: Callable[[], Result]) -> Result:
        """Return the result of `make`, and report its failure or its success."""
        began = time.monotonic()
        try:
            made = make()
        except CallError as error:
            failure = failure_of(error.code)
            if error.code == error_codes.UNAUTHENTICATED:
                self.pause(Unreachable(f"the benchmark refuses the calls of trials ({error})"))
            elif failure.is_unreachable:
                outage_s = self.health.outage_s(began)
                if outage_s > LONGEST_OUTAGE_S:
                    self.pause(Unreachable(f"the benchmark has not been reached for {outage_s:.0f} s ({error})"))
            elif not failure.is_tooling:
                self.health.answered()
            raise
        except BaseException as error:
            if not getattr(error, "leaves_step", False):
                self.report_fault(error)
            if isinstance(error, (Exception, KeyboardInterrupt)):
                raise
            msg = f"{type(error).__name__}: {error}"
            raise RuntimeError(msg) from error
        self.health.answered()
        return made


@dataclass(frozen=True, slots=True)
class _WatchedCall:
    environment: WatchedEnvironment
    wait: Callable[[], dict[str, Plain]]
    operation: str
    arguments: Mapping[str, Plain]

    def finish(self) -> dict[str, Plain]:
        return self.environment.watched(self.wait, self.operation, self.arguments)
