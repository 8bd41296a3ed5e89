"""The trials that the threads of a run are playing, and which of them are stuck."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeAlias

from controlplane.benchmark import PlannedTrial

GiveUpIfStuck: TypeAlias = Callable[[PlannedTrial, float], bool]
"""Gives up a trial if it is stuck, and returns True then. The number is the time at
which it began, by `time.monotonic`."""


@dataclass(frozen=True, slots=True)
class RunningTrial:
    """A trial that a thread is playing."""

    planned_trial: PlannedTrial
    future: Future[None]
    """Done when the trial is over."""
    began_at: float
    """By `time.monotonic`."""


@dataclass(slots=True)
class RunningTrials:
    """The trial that each thread is playing, if any.

    While `give_up_stuck` decides, no trial ends, and none begins.
    """

    _by_thread: dict[threading.Thread, RunningTrial] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, thread: threading.Thread, trial: RunningTrial) -> None:
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
