"""What a run and its trials tell each other: signals, reports, and how well the benchmark answers."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, TypeVar

from controlplane.agent.events import CallOutput, Noticed
from controlplane.agent.failure_codes import failure_of
from controlplane.agent.retry import RetryPolicy, named_pause_s
from controlplane.benchmark import BenchmarkError, TrialScore
from controlplane.errors import fault_text
from controlplane.journal.run_events import (
    JournalEvent,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.journal.totals.trial_summary import BENCHMARK_BROKE
from controlplane.sandbox.interface import CallError, error_codes, well_formed

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


# The signs of life of trials, by which their run finds those that are stuck.


@dataclass(slots=True)
class _WatchedTrial:
    """What shows whether a trial is stuck. Times are those of `time.monotonic`."""

    began_at: float = 0.0
    """When its latest attempt began."""
    sign_at: float = 0.0
    """When it showed the latest sign of life: its start, one of its events, or a retry."""
    asks_model: bool = False
    """True if that was a request to a model, so that the trial now waits for the reply."""
    time_limit_s: float = 0.0
    """The seconds that it may use, which its task may set; 0 until it has begun."""
    is_given_up: bool = False
    """True if the run goes on without it, since it was stuck. Its thread may still come back."""

    def begin(self) -> None:
        """Note that an attempt at it begins."""
        self.note_sign_of_life()
        self.began_at = self.sign_at

    def note_sign_of_life(self, *, asks_model: bool = False) -> None:
        """Note a sign of life. A trial may wait without emitting events."""
        self.sign_at = time.monotonic()
        self.asks_model = asks_model


@dataclass(slots=True)
class RunControls:
    """Signals between a run and its trials."""

    stop: threading.Event = field(default_factory=threading.Event)
    """Set: no further trial starts. Running scripts end their step, and then the trial is left open;
    a request to a model is aborted, and so is the wait for a retry."""
    interrupted: threading.Event = field(default_factory=threading.Event)
    """Set if a signal of the user asked for the stop. Otherwise the run stops by itself."""
    pause: Callable[[Exception], bool] = _ignore_error
    """Called if every further trial would fail in the same way: the model, the benchmark or
    the sandbox is down, or a key is wrong. Returns False if the run is paused for the same error."""
    health: _HealthMonitor = field(default_factory=_HealthMonitor)
    watch: defaultdict[str, _WatchedTrial] = field(
        default_factory=lambda: defaultdict(_WatchedTrial)
    )
    """The signs of life of the trials, by their ids. A worker of a cluster notes them, too, for nobody."""


# Makes a call of the benchmark again while that may help.

_Result = TypeVar("_Result")


def _ignore_text(text: str) -> None:
    """Do nothing: nobody listens for retries."""


def call_or_failure(
    call: Callable[[], _Result],
    *,
    limit_s: float,
    stop: threading.Event,
    on_retry: Callable[[str], None] = _ignore_text,
) -> _Result | CallError:
    """Return the result of a call of the benchmark, tried again while that may help.

    The call is given up after `limit_s` seconds, when `stop` is set, or at a failure
    that another try cannot mend. The failure is then returned as a `CallError`, and
    not raised. `on_retry` gets a line about each retry.
    """

    policy = RetryPolicy(limit_s, first_pause_s=0.5, longest_pause_s=20.0)
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


# What one attempt at a trial reports to the journal and to its run.

Emit: TypeAlias = Callable[[JournalEvent], None]
Phase: TypeAlias = Literal["start", "end"]
HowEnded: TypeAlias = Literal["answered", "fallback", "unanswered"]


def scored_event(trial_id: str, score: TrialScore) -> Scored:
    """Return the event with what the benchmark's grader says about a trial."""
    return Scored(
        trial_id=trial_id,
        score=score.score,
        details=score.details,
        metrics=dict(score.metrics),
        unscored=score.unscored,
    )


@dataclass(frozen=True, slots=True)
class TrialReports:
    """Writes the events about a trial itself, such as its end, not those of the solver's work.

    Each method writes one event to the journal; `fault` writes none for an error that it has
    written before. An attempt at a trial ends by `ended`, `failed` or `left_open`.
    """

    trial_id: str
    emit: Emit
    """Writes an event to the journal."""
    controls: RunControls
    """Signals that all trials of the run share."""
    faults: list[str] = field(default_factory=list)
    """Errors in the benchmark's own code so far, with file and line."""

    @property
    def trial(self) -> _WatchedTrial:
        """What shows whether the trial is stuck."""
        return self.controls.watch[self.trial_id]

    def notice(self, text: str) -> None:
        """Show the user a text about the trial."""
        self.emit(Noticed(trial_id=self.trial_id, text=text))

    def output(self, text: str) -> None:
        """Show the output so far of a call that is still running."""
        self.emit(CallOutput(trial_id=self.trial_id, text=well_formed(text)))

    def fault(self, error: BaseException) -> None:
        """Tell the user once of an error in the benchmark's own code. The trial may go on."""
        text = f"{BENCHMARK_BROKE}{fault_text(error)}"
        if text not in self.faults:
            self.faults.append(text)
            self.notice(text)

    def score(self, score: TrialScore) -> None:
        """Report what the benchmark's grader says."""
        self.emit(scored_event(self.trial_id, score))

    def left_open(self, reason: str, *, pause: Exception | None = None) -> None:
        """Report that the trial stays open for a resumed run.

        `pause` is an error that every other trial would meet, too: it pauses the run. If another
        trial has met it, and so told it, this one is only interrupted.
        """
        if pause is not None and not self.controls.pause(pause):
            reason = "interrupted"
        reasons = self._with_faults(reason)
        self.emit(TrialLeftOpen(trial_id=self.trial_id, reason=reasons))

    def failed(self, phase: Phase, reason: str) -> None:
        """Report that the benchmark could not start or end the trial."""
        self.emit(TrialFailed(trial_id=self.trial_id, phase=phase, error=reason))

    def ended(
        self,
        how: HowEnded,
        *,
        reason: str = "",
        out_of_budget: bool = False,
        elapsed_ms: float = 0.0,
    ) -> None:
        """Report that the trial is over: with the solver's answer, the fallback, or neither.

        `reason` says why the solver gave no answer; empty if it did. `out_of_budget` is True if a
        limit of the trial has ended it.
        """
        self.emit(
            TrialEnded(
                trial_id=self.trial_id,
                how=how,
                reason=self._with_faults(reason),
                out_of_budget=out_of_budget,
                elapsed_ms=elapsed_ms,
            )
        )

    def _with_faults(self, reason: str) -> str:
        """Return a reason, after the benchmark's errors, which may have caused it.

        "unanswered in time" -> "the benchmark broke: KeyError: 'id' (a.py, line 12); unanswered in time"
        """
        reasons = [*self.faults, reason]
        return "; ".join(text for text in reasons if text)
