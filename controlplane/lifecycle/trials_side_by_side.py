"""Plays the trials of a run side by side, in this process or at a cluster.

Each trial is a call of an executor, `TrialThreads`, whose threads play it where the settings say
(`TrialPlace`). `RunWork.play_trials` hands out the trials, waits for them, and gives up the stuck ones.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from controlplane.agent.events import build_models
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.configuration.run_settings import THREADS
from controlplane.errors import extra_module
from controlplane.journal.run_events import TrialFailed, TrialLeftOpen
from controlplane.journal.totals.run_summary import RunTrials
from controlplane.journal.totals.trial_summary import FAILED, TrialSummary
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import Emit, RunControls
from controlplane.lifecycle.trial_lifecycle import run_trial
from controlplane.sandbox.interface import bounds

_Result = TypeVar("_Result")


_WaitingCall: TypeAlias = tuple[Future[Any], Callable[[], Any]]
"""A call that waits for a thread, and its future."""


class TrialThreads(Executor):
    """Threads, at most `count`, each of which makes one call after another.

    In the pool of the standard library, a call that never returns keeps the program from ending, and
    takes up a thread. Here such a thread can be left alone: a new one takes its place.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._waiting = SimpleQueue[_WaitingCall | None]()
        """The calls that no thread has taken; None tells a thread to end."""
        self._threads: list[threading.Thread] = []
        """The threads that were not left alone. Only the owner of the executor uses this list."""
        self._at_work: dict[Future[Any], threading.Thread] = {}
        """The thread of each call that is being made. A thread that is left alone is none of them."""
        self._lock = threading.Lock()

    def submit(
        self, call: Callable[..., _Result], /, *arguments: Any, **options: Any
    ) -> Future[_Result]:
        """Have a call made as soon as a thread is free. Until then it can be cancelled."""
        future = Future[_Result]()
        self._waiting.put((future, partial(call, *arguments, **options)))
        if len(self._threads) < self._count:
            self._add_thread()
        return future

    def leave_alone(self, future: Future[Any]) -> None:
        """Leave the thread of a call alone if it is still at work. A new one takes its place."""
        with self._lock:
            thread = self._at_work.pop(future, None)
        if thread is not None:
            self._threads.remove(thread)
            self._add_thread()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads, and wait for those that were not left alone."""
        while cancel_futures and not self._waiting.empty():
            waiting = self._waiting.get()
            if waiting is not None:
                future, _ = waiting
                future.cancel()
        for _ in self._threads:
            self._waiting.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._make_calls, name="trial", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _make_calls(self) -> None:
        """Make calls, until this thread is told to end or is left alone."""
        while True:
            waiting = self._waiting.get()
            if waiting is None:
                return
            future, call = waiting
            was_cancelled = not future.set_running_or_notify_cancel()
            if was_cancelled:
                continue
            with self._lock:
                self._at_work[future] = threading.current_thread()
            failure: BaseException | None = None
            result = None
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001 - who waits for the call gets it
                failure = error
            with self._lock:
                was_left_alone = self._at_work.pop(future, None) is None

            if failure is not None:
                future.set_exception(failure)
            else:
                future.set_result(result)
            if was_left_alone:  # Another thread has taken the place of this one.
                return


# Where trials are played: in this process, or at the workers of a cluster.


class TrialPlace(Protocol):
    """Plays trials. Used from many threads at once."""

    def play(self, planned_trial: PlannedTrial, record: TrialRecord) -> None:
        """Play a trial; return when it is over or left open, and all its events are emitted.

        `record` is what earlier attempts at the trial did. Raises what ends the whole run.
        """

    def close(self) -> None:
        """Free the place. No trial is being played there any more."""


OpenPlace: TypeAlias = Callable[[RunResources, Emit, RunControls], TrialPlace]
"""Opens the place of a run. Raises `ControlPlaneError` if no trial can be played there."""


@dataclass(frozen=True, slots=True)
class _ThisProcess:
    """Plays trials in the thread that asks for it."""

    resources: RunResources
    emit: Emit
    controls: RunControls

    def play(self, planned_trial: PlannedTrial, record: TrialRecord) -> None:
        run_trial(self.resources, planned_trial, self.emit, self.controls, record)

    def close(self) -> None:
        """Do nothing: the resources belong to the run."""


def open_place(
    resources: RunResources, emit: Emit, controls: RunControls
) -> TrialPlace:
    """Return the place that the settings name: this process, or a cluster.

    `emit` writes the events of the trials to the journal. Raises `ControlPlaneError` if the cluster
    has no workers.
    """
    place = resources.settings.workers
    if place != THREADS:
        cluster = extra_module(
            "controlplane.workers.dask_workers", f"--workers {place}", "cluster"
        )
        opened: TrialPlace = cluster.open_cluster(resources, emit, controls)
        return opened
    build_models()
    # Begin to start the server of sandbox processes. The first script will not wait for it.
    resources.sandbox.launch_for_scripts()
    return _ThisProcess(resources, emit, controls)


# Plays the trials of a run.

_LOOK_INTERVAL_S: Final = 0.2
"""Seconds between two looks at the trials. In between, the main thread can handle signals."""


@dataclass(slots=True)
class RunWork:
    """Plays the trials of a run.

    The place is open only while `play_trials` runs, or from an earlier call of `open_place`.
    """

    resources: RunResources
    emit: Emit
    """Takes the events of the trials."""
    controls: RunControls
    """The signals between the run and its trials, such as to stop."""
    place_opener: OpenPlace
    _place: TrialPlace | None = None
    _threads: TrialThreads | None = None

    def open_place(self) -> TrialPlace:
        """Open the place, unless it is open. Raises `ControlPlaneError` if it cannot be opened."""
        if self._place is None:
            self._place = self.place_opener(self.resources, self.emit, self.controls)
        return self._place

    def close_place(self) -> None:
        """Wait until no trial is played any more, and free the place, if it is open."""
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None
        if self._place is not None:
            place = self._place
            self._place = None
            place.close()

    def play_trials(
        self, trials: RunTrials, records: Mapping[str, TrialRecord]
    ) -> None:
        """Play every unfinished trial, then try once more those that could not start.

        `records` holds what earlier attempts did, by trial id. Raises `ControlPlaneError`
        if the whole run cannot continue.
        """
        place = self.open_place()
        self._threads = TrialThreads(self.resources.concurrency)

        def play(planned_trial: PlannedTrial, record: TrialRecord) -> None:
            self.controls.watch.begin(planned_trial.trial_id)
            place.play(planned_trial, record)

        try:
            # 1. All unfinished trials. In a resumed run, some may have failed to start before.
            unfinished = [trial for trial in trials.values() if not trial.is_over]
            self._expect_failures(self._trials_to_start_again(trials))
            self._play(self._threads, play, unfinished, records)

            # 2. Those that failed to start, once more
            failed = self._trials_to_start_again(trials)
            self._expect_failures(failed)
            self._play(self._threads, play, failed, records)
        finally:
            self.close_place()

    def _trials_to_start_again(self, trials: RunTrials) -> list[TrialSummary]:
        """Return the trials that failed to start. A second try may succeed.

        Trials that were given up are left out, since they would get stuck again.
        """
        watch = self.controls.watch
        failed = [trial for trial in trials.values() if trial.state == FAILED]
        return [trial for trial in failed if not watch.of(trial.trial_id).is_given_up]

    def _expect_failures(self, failed_before: Sequence[TrialSummary]) -> None:
        """Let these trials fail to start again without consequences.

        Several failures in a row usually count as an outage of the benchmark, which pauses the
        run. These are known to fail.
        """
        failed_ids = frozenset(trial.trial_id for trial in failed_before)
        self.controls.health.known_failed = failed_ids

    def _play(
        self,
        threads: TrialThreads,
        play: Callable[[PlannedTrial, TrialRecord], None],
        trials: Sequence[TrialSummary],
        records: Mapping[str, TrialRecord],
    ) -> None:
        """Play trials, and return when every one is over, cancelled or given up.

        Raises the first error that ends the whole run.
        """
        finished: SimpleQueue[Future[None]] = SimpleQueue()
        unfinished: dict[Future[None], str] = {}
        for trial in trials:
            record = records.get(trial.trial_id, TrialRecord())
            # Until its next attempt begins, it is not stuck.
            self.controls.watch.of(trial.trial_id).began_at = None
            future = threads.submit(play, _as_planned(trial), record)
            unfinished[future] = trial.trial_id
        for future in unfinished:
            future.add_done_callback(finished.put)

        while unfinished:
            # 1. A trial that is over may end the whole run by its error.
            ended = _next_finished(finished)
            if ended is not None and unfinished.pop(ended, None) is not None:
                error = None if ended.cancelled() else ended.exception()
                if error is not None:
                    self.controls.stop.set()
                    _cancel_waiting(unfinished)
                    raise error

            # 2. If the run stops, do not play the trials that have not begun.
            if self.controls.stop.is_set():
                _cancel_waiting(unfinished)

            # 3. Go on without the trials that are stuck.
            for future, trial_id in list(unfinished.items()):
                if self._give_up_if_stuck(trial_id):
                    del unfinished[future]
                    threads.leave_alone(future)

    def _give_up_if_stuck(self, trial_id: str) -> bool:
        """Give up a trial that is stuck, and record that. Return True if it was given up."""
        run_stops = self.controls.stop.is_set()
        silence_s = self._stuck_for_s(trial_id, run_stops=run_stops)
        if silence_s is None:  # The trial is not stuck.
            return False
        reason = f"it did not come back: nothing was heard of it for {silence_s:.0f} s"
        # A run that stops can be resumed, and then plays the trial again. One that goes on must come
        # to an end, so the end of the trial has failed; a resumed run tries it again.
        if run_stops:
            self.emit(TrialLeftOpen(trial_id=trial_id, reason=reason))
        else:
            self.emit(TrialFailed(trial_id=trial_id, phase="end", error=reason))
        self.controls.watch.of(trial_id).is_given_up = True
        return True

    def _stuck_for_s(self, trial_id: str, *, run_stops: bool) -> float | None:
        """Return for how many seconds a stuck trial has been silent; None if it is not stuck.

        It is stuck if it was silent for too long, and its time is over or the run stops. A trial
        that may be waiting for the user, who is to approve a call, is never stuck.
        """
        trial = self.controls.watch.of(trial_id)
        if trial.began_at is None or self.resources.spec.may_ask_user:
            return None
        # A healthy trial may be silent for a script of a whole step, and for the longest call.
        settings = self.resources.settings
        max_silence_s = bounds.TRIAL_SILENCE_S + settings.step_time
        max_silence_s += self.resources.opened.longest_silence_s
        if trial.asks_model:
            max_silence_s += settings.model_timeout

        now = time.monotonic()
        silence_s = now - trial.sign_at
        if silence_s < max_silence_s:
            return None
        # Until a trial has begun, its benchmark starts it.
        time_limit_s = settings.trial_time
        if trial.time_limit_s is not None:
            time_limit_s = trial.time_limit_s
        is_time_over = now - trial.began_at > time_limit_s + max_silence_s
        if run_stops or is_time_over:
            return silence_s
        return None


def _as_planned(trial: TrialSummary) -> PlannedTrial:
    """Return the trial as the benchmark allotted it."""
    return PlannedTrial(trial.trial_id, trial.task_id, trial.number, trial.repeat)


def _next_finished(finished: SimpleQueue[Future[None]]) -> Future[None] | None:
    """Wait a short time for a trial to finish. Return its future, or None if none has finished."""
    try:
        return finished.get(timeout=_LOOK_INTERVAL_S)
    except Empty:
        return None


def _cancel_waiting(unfinished: dict[Future[None], str]) -> None:
    """Cancel the trials that no thread has taken, and take them out of `unfinished`."""
    for future in list(unfinished):
        if future.cancel():  # False if the trial has begun
            del unfinished[future]
