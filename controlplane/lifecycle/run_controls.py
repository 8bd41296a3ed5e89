"""The signals between a run and its trials: to stop, to pause, and signs of life."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import error_codes

# Watches whether the benchmark of a run can be reached, and decides if the run has to pause.
#
# A failure of one trial costs only that trial. If every further trial would fail in the
# same way, for example because the platform is down, the run pauses: it starts no more
# trials and can be resumed.

_MAX_FAILED_STARTS: Final = 10
"""If this many trials in a row cannot start, every further trial is expected to fail, too."""


@dataclass(slots=True)
class _HealthMonitor:
    """Decides by the failures of trials if their run has to pause. Used from many threads at once.

    The run reports what happens: answered calls, started and failed trials. A single failure
    costs only its trial. `note_failed_start` returns True if all others are expected to fail, too.
    """

    known_failed: frozenset[str] = frozenset()
    """Ids of the trials that could not start at an earlier attempt.

    If they fail again, only a benchmark that cannot be reached pauses the run."""
    last_progress_at: float = 0.0
    """When the benchmark last started or ended a trial, by `time.monotonic`."""
    _outage_since: float | None = None
    """When the first of the unanswered calls began; None if a call was answered since."""
    _failed_starts: int = 0
    """How many trials could not start since the last one that did."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note_answer(self) -> None:
        """Note that a call was answered."""
        with self._lock:
            self._outage_since = None

    def note_start(self) -> None:
        """Note that a trial has started."""
        self.note_progress()
        with self._lock:
            self._failed_starts = 0

    def note_progress(self) -> None:
        """Note that the benchmark started or ended a trial."""
        self.last_progress_at = time.monotonic()
        self.note_answer()

    def note_unreachable_call(self, began_at: float) -> float:
        """Note a call that was not answered; return how many seconds the outage has lasted."""
        with self._lock:
            if self._outage_since is None:
                self._outage_since = began_at
            return time.monotonic() - self._outage_since

    def note_failed_start(self, trial_id: str, code: str, began_at: float) -> bool:
        """Note that a trial could not start. Return True if the run should pause.

        The run should pause if every other trial is expected to fail, too:

        1. The benchmark was not reached, and it has not
           started or ended another trial meanwhile.
        2. `_MAX_FAILED_STARTS` trials in a row could not start.
        3. The fault concerns all trials and will
           not pass by itself, such as a wrong key.

        Only the first rule applies to a trial that has failed before, or that the
        benchmark has ended. Its failure says nothing about other trials.

        `code` is the error code of the failed start, such as "UNAVAILABLE". `began_at` is the
        time, by `time.monotonic`, at which the start was first tried.
        """
        failure = failure_of(code)  # what is known of failures with this code
        made_progress_since = self.last_progress_at >= began_at
        if failure.is_outage and not made_progress_since:
            return True

        benchmark_has_ended_it = code == error_codes.FAILED_PRECONDITION
        if benchmark_has_ended_it or trial_id in self.known_failed:
            return False

        with self._lock:
            self._failed_starts += 1
            failed_starts = self._failed_starts
        if failed_starts >= _MAX_FAILED_STARTS:
            return True

        will_pass_by_itself = failure.transient
        return failure.fails_all and not will_pass_by_itself


def _ignore_error(error: Exception) -> bool:
    """Do nothing: nobody listens for a pause."""
    return True


def _ignore_trial(trial_id: str) -> None:
    """Do nothing: nobody listens for signs of life."""


def _ignore_time_limit(trial_id: str, seconds: float) -> None:
    """Do nothing: nobody watches whether trials are stuck."""


@dataclass(slots=True)
class RunControls:
    """Signals between a run and its trials."""

    stop: threading.Event = field(default_factory=threading.Event)
    """Set: no further trial starts, and running trials are left open after their step."""
    interrupted: threading.Event = field(default_factory=threading.Event)
    """Set if a signal of the user asked for the stop. Otherwise the run stops by itself."""
    pause: Callable[[Exception], bool] = _ignore_error
    """Called if every further trial would fail in the same way: the model, the benchmark or
    the sandbox is down, or a key is wrong. Returns False if the run is paused for the same error."""
    health: _HealthMonitor = field(default_factory=_HealthMonitor)
    note_sign_of_life: Callable[[str], None] = _ignore_trial
    """Called with the id of a trial that waits without emitting events, but is not stuck."""
    note_time_limit: Callable[[str, float], None] = _ignore_time_limit
    """Called with the id of a trial that begins, and the seconds that it may use."""
