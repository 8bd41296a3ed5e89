"""The threads in which the trials of a run are played side by side.

Each thread plays one trial after another: in this process, or on a cluster (see
`controlplane.workers`). A trial that is stuck can be given up. A thread cannot be ended
from outside, so the stuck one is left alone, and a new thread takes its place.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.lifecycle.trials.running_trials import (
    GiveUpIfStuck,
    RunningTrial,
    RunningTrials,
)


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
        self._running = RunningTrials()

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
        running = RunningTrial(trial.planned_trial, trial.future, time.monotonic())
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
