"""The threads in which the trials of a run are played side by side.

Each thread plays one trial after another: in this process, or on a cluster (see
`controlplane.workers`). A trial that is stuck can be given up. A thread cannot be ended
from outside, so the stuck one is left alone, and a new thread takes its place.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TypeAlias

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial

# The trials that the threads of a run are playing, and which of them are stuck.

GiveUpIfStuck: TypeAlias = Callable[[PlannedTrial, float], bool]
"""Gives up a trial if it is stuck, and returns True then. The number is the time at
which it began, by `time.monotonic`."""


@dataclass(frozen=True, slots=True)
class _RunningTrial:
    """A trial that a thread is playing."""

    planned_trial: PlannedTrial
    future: Future[None]
    """Done when the trial is over."""
    began_at: float
    """By `time.monotonic`."""


@dataclass(slots=True)
class _RunningTrials:
    """The trial that each thread is playing, if any.

    While `give_up_stuck` decides, no trial ends, and none begins.
    """

    _by_thread: dict[threading.Thread, _RunningTrial] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, thread: threading.Thread, trial: _RunningTrial) -> None:
        """Note that a thread begins to play a trial."""
        with self._lock:
            self._by_thread[thread] = trial

    def end(self, thread: threading.Thread) -> bool:
        """Note that a thread has played its trial. Return False if it was given up before."""
        with self._lock:
            return self._by_thread.pop(thread, None) is not None

    def give_up_stuck(
        self, give_up_if_stuck: GiveUpIfStuck
    ) -> Iterator[tuple[threading.Thread, Future[None]]]:
        """Give up the trials that are stuck. Yield the thread and the future of each at once.

        So an error at a later trial does not hide that earlier ones were given up.
        """
        with self._lock:
            for thread, trial in list(self._by_thread.items()):
                if give_up_if_stuck(trial.planned_trial, trial.began_at):
                    del self._by_thread[thread]
                    yield thread, trial.future


@dataclass(frozen=True, slots=True)
class _WaitingTrial:
    """A trial that waits for a thread."""

    planned_trial: PlannedTrial
    record: TrialRecord
    future: Future[None]
    """Done when the trial is over. If an error ends the whole run, the future has the error."""


class Workers:
    """The threads of a run, at most `count`, each of which plays one trial after another.

    A stuck thread cannot be ended from outside. So it is left alone, and a new one takes its place.
    """

    def __init__(
        self, play: Callable[[PlannedTrial, TrialRecord], None], count: int
    ) -> None:
        """Play up to `count` trials at a time.

        `play` returns when a trial is over and all its events are emitted. It raises
        what ends the whole run.
        """
        self._play = play
        self._count = count
        self._waiting = SimpleQueue[_WaitingTrial | None]()
        """The trials that no thread has taken; None tells a thread to end."""
        self._threads: list[threading.Thread] = []
        """The threads that were not given up. Only the run's own thread uses this list."""
        self._running = _RunningTrials()

    def submit(self, planned_trial: PlannedTrial, record: TrialRecord) -> Future[None]:
        """Have a trial played as soon as a thread is free. Until then it can be cancelled.

        `record` is what earlier attempts at the trial did. The future is done when the trial is over.
        """
        future = Future[None]()
        self._waiting.put(_WaitingTrial(planned_trial, record, future))
        if len(self._threads) < self._count:
            self._add_thread()
        return future

    def give_up_stuck_trials(
        self, give_up_if_stuck: GiveUpIfStuck
    ) -> set[Future[None]]:
        """Give up the trials for which `give_up_if_stuck` returns True, and return their futures.

        A new thread takes the place of each thread that is stuck.
        """
        given_up = set()
        for thread, future in self._running.give_up_stuck(give_up_if_stuck):
            given_up.add(future)
            self._threads.remove(thread)
            self._add_thread()
        return given_up

    def close(self) -> None:
        """Wait for the threads to end. No trial may be running."""
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _add_thread(self) -> None:
        """Start a thread that plays waiting trials."""
        thread = threading.Thread(target=self._play_trials, name="trial", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _play_trials(self) -> None:
        """Play trials, until the thread is told to end or is given up."""
        while True:
            trial = self._waiting.get()
            if trial is None:
                return
            was_cancelled = not trial.future.set_running_or_notify_cancel()
            if was_cancelled:
                continue
            was_given_up = self._play_trial(trial)
            if was_given_up:  # Another thread has taken the place of this one.
                return

    def _play_trial(self, trial: _WaitingTrial) -> bool:
        """Play a trial in this thread. Return True if it was given up meanwhile."""
        thread = threading.current_thread()
        running = _RunningTrial(trial.planned_trial, trial.future, time.monotonic())
        self._running.begin(thread, running)
        failure: BaseException | None = None
        try:
            self._play(trial.planned_trial, trial.record)
        except BaseException as error:  # noqa: BLE001 - who waits for the trial gets it
            failure = error
        was_given_up = not self._running.end(thread)

        if failure is not None:
            trial.future.set_exception(failure)
        else:
            trial.future.set_result(None)
        return was_given_up
