"""What the trials of a run learn about their benchmark: whether it is there, and whether it starts trials at all.

A run whose further trials would all fail the same way is paused; one trial's misfortune costs that trial.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from agent.evidence import Environment
from agent.loop import LeftOpen
from controlplane.errors import Unreachable
from controlplane.lifecycle.call_retries import PASSING
from sandbox.interface import CallError, Plain, Surface, error_codes

GONE: Final = frozenset({"unavailable", "deadline_exceeded", "resource_exhausted"})
"""Codes that a benchmark gives when it cannot be reached at all."""
REFUSES_ALL: Final = frozenset({"unauthenticated", "permission_denied", "unimplemented"})
"""Codes of a refused start that every other trial would meet as well."""
DOUBTFUL: Final = frozenset({"unknown", "internal", "canceled", "aborted", "data_loss"})
"""Codes that do not tell whether anybody was reached."""
PATIENCE_S: Final = 300.0
"""Seconds for which trials go on although no call of any of them reaches the benchmark."""
FAILED_STARTS: Final = 10
"""So many trials in a row that cannot start are taken for a fault that every further one would meet."""


@dataclass(slots=True)
class HealthMonitor:
    """How the benchmark was last met. Used from many threads at once."""

    known_failed: frozenset[str] = frozenset()
    """Trials that could not start before; that they cannot again is no news."""
    moved_at: float = 0.0
    """When it last started or ended a trial, on the monotonic clock."""
    _gone_since: float | None = None
    """When the first of the calls began that have reached nobody since one last did."""
    _failed_starts: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answered(self) -> None:
        """Note that it answered a call of a trial."""
        self._gone_since = None

    def started(self) -> None:
        """Note that it started a trial."""
        self.moved()
        with self._lock:
            self._failed_starts = 0

    def moved(self) -> None:
        """Note that it started or ended a trial."""
        self.moved_at = time.monotonic()
        self.answered()

    def gone_s(self, began: float) -> float:
        """Note that a call that `began` then reached nobody, and return for how many seconds no call has."""
        with self._lock:
            if self._gone_since is None:
                self._gone_since = began
            return time.monotonic() - self._gone_since

    def fails_all(self, trial_id: str, code: str, began: float) -> bool:
        """Note that a start that `began` then failed, and say whether every other trial would fail the same way."""
        if code in GONE and self.moved_at < began:
            return True
        if (
            trial_id in self.known_failed or code == error_codes.FAILED_PRECONDITION
        ):  # it has ended, and that is its own matter
            return False
        with self._lock:
            self._failed_starts += 1
            return code in REFUSES_ALL or self._failed_starts >= FAILED_STARTS


@dataclass(frozen=True, slots=True)
class WatchedEnvironment:
    """A trial's environment; what its calls tell of the benchmark is noted."""

    environment: Environment
    health: HealthMonitor
    pause: Callable[[Exception], None]
    """Called where going on is useless for every trial."""
    stop: threading.Event
    """Set where the trial is to be left open: then no failed call is repeated."""

    @property
    def surface(self) -> Surface:
        """What the environment declares about itself."""
        return self.environment.surface

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`, and `LeftOpen` where one that only reads failed because nobody
        repeats it any more: no script should learn of that, since it is made again when the trial is taken up."""
        try:
            with self._noting():
                return self.environment.call(operation, arguments)
        except CallError as error:
            is_given_up = self.stop.is_set() and error.code in PASSING
            if is_given_up and not self.surface.may_change(operation, arguments):
                raise LeftOpen from error
            raise

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        with self._noting():
            self.environment.answer(message, outcome, refs)

    def now(self) -> datetime | None:
        """Return the environment's clock."""
        return self.environment.now()

    @contextmanager
    def _noting(self) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        except CallError as error:
            if error.code == "unauthenticated":
                self.pause(Unreachable(f"the benchmark refuses the calls of trials ({error})"))
            elif error.code in GONE:
                gone_s = self.health.gone_s(began)
                if gone_s > PATIENCE_S:
                    self.pause(Unreachable(f"the benchmark has not been reached for {gone_s:.0f} s ({error})"))
            elif error.code not in DOUBTFUL:
                self.health.answered()
            raise
        self.health.answered()
