"""Processes that are forked from the run's own, so that a benchmark whose worlds are computed here uses several cores.

A thread waits for a platform or a model as well as a process does; where nothing is waited for, threads of one process
share one core. The run's process alone writes the journal: it takes its workers' events one by one, as they happen.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from agent.loop import ResumeState
from agent.retry import SpendingLimits
from controlplane.benchmark import TrialHead, TrialScore
from controlplane.cluster.forked_worker import (
    LetGo,
    Over,
    Paused,
    Played,
    StopChanged,
    Told,
    serve,
)
from controlplane.cluster.shipped_data import FailureParcel
from controlplane.configuration.run_settings import AUTOMATIC
from controlplane.journal.encoded_events import EncodedEvent
from controlplane.journal.run_events import JournalEvent, Scored, TrialLeftOpen
from controlplane.lifecycle.fan_out import Record, Workers
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import RunControls

MOST_AT_A_TIME: Final = 2
"""Trials that one process works on at a time: one computes while the other waits for its scripts and its aide. More of
them take turns, which costs a sixth of the time, and so do two on a core of their own, which have nothing to wait for
unless calls do."""
_TASKS: Final = Path("/proc/self/task")
"""One entry for each thread of this process."""


def forked_workers(resources: RunResources) -> ForkedWorkers | None:
    """Fork a worker for each core, where the settings leave that open and the run gains by it; None elsewhere.

    Only a process of one thread forks safely, so this comes before anything that starts another.
    """
    settings, opened = resources.spec.settings, resources.opened
    count = min(_cores(), settings.concurrency)
    is_computed_here = opened.rebuilds_trials and opened.ended_elsewhere is not None and not opened.stays_here
    is_bounded = resources.budget.spending.limits != SpendingLimits()  # which the trials share
    if settings.workers != AUTOMATIC or not is_computed_here or resources.asks_endpoints or is_bounded:
        return None
    return ForkedWorkers(resources, count) if count > 1 and _threads() == 1 else None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _cores_for(count: int) -> Sequence[int | None]:
    """Return for each of so many processes the core that it keeps to; None for any, unless all of them are taken.

    A process, its scripts and its aides wait for each other: a message to another core takes seven times as long.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return cores if len(cores) == count else [None] * count


def _at_a_time(resources: RunResources, cores: Sequence[int | None]) -> int:
    """Return on how many trials each process works at a time."""
    most = MOST_AT_A_TIME if None in cores or resources.opened.calls_wait else 1
    return min(math.ceil(resources.spec.settings.concurrency / len(cores)), most)


def _threads() -> int:
    """Return how many threads this process has, those of libraries included; 0 if that is not known."""
    try:
        return sum(1 for _ in _TASKS.iterdir())
    except OSError:
        return 0


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    room: int
    """How many more trials it takes."""
    sends: threading.Lock = field(default_factory=threading.Lock)
    is_lost: bool = False

    def hear(self) -> Sequence[Told] | None:
        """Return what it tells next; None once it has ended."""
        try:
            told: Sequence[Told] = self.connection.recv()
        except (EOFError, OSError):
            return None
        return told

    def tell(self, message: Played | StopChanged | LetGo) -> None:
        """Send a message; one that is gone hears nothing."""
        with self.sends, contextlib.suppress(OSError):
            self.connection.send(message)


@dataclass(slots=True)
class _Trial:
    head: TrialHead
    resume_state: ResumeState
    over: Future[None]
    worker: _Worker | None = None


class ForkedWorkers:
    """The processes, from their fork on; `open` makes them the workers of a run."""

    def __init__(self, resources: RunResources, count: int) -> None:
        """Fork `count` processes, which together work on at most as many trials at a time as the settings say."""
        context = multiprocessing.get_context("fork")
        cores = _cores_for(count)
        each = _at_a_time(resources, cores)
        self._workers: list[_Worker] = []
        for core in cores:
            ours, theirs = context.Pipe()
            others = [ours, *(each.connection for each in self._workers)]
            server = resources.copied_server(core)
            process = context.Process(target=serve, args=(theirs, others, resources, server, each, core), daemon=True)
            process.start()
            theirs.close()
            if server is not None:
                server.close()
            self._workers.append(_Worker(process, ours, each))
        self._opened: _RunOnProcesses | None = None

    def open(self, resources: RunResources, emit: Record, controls: RunControls) -> Workers:
        """Return the workers of the run. May be called once."""
        self._opened = _RunOnProcesses(self._workers, resources, emit, controls)
        return self._opened

    def close(self) -> None:
        """Let the processes go, if the run has not. Closing twice does nothing."""
        if self._opened is not None:
            self._opened.close()
        for each in self._workers:
            each.tell(LetGo())
            each.process.join()
            each.connection.close()
        self._workers = []


class _RunOnProcesses:
    """The workers of one run."""

    def __init__(
        self, workers: Sequence[_Worker], resources: RunResources, emit: Record, controls: RunControls
    ) -> None:
        self._workers = workers
        self._ended_elsewhere = resources.opened.ended_elsewhere
        self._emit = emit
        self._controls = controls
        self._lock = threading.Lock()
        self._waiting: deque[_Trial] = deque()
        self._running: dict[str, _Trial] = {}
        self._failure: Exception | None = None
        """What ends the whole run."""
        self._threads = [threading.Thread(target=self._listen, args=(each,), name="worker") for each in workers]
        for thread in self._threads:
            thread.start()
        resources.context.stop.listen(self._tell_stop)

    def submit(self, head: TrialHead, resume_state: ResumeState) -> Future[None]:
        """Run the trial in the process with the most room, as soon as there is any."""
        over = Future[None]()
        with self._lock:
            self._waiting.append(_Trial(head, resume_state, over))
        self._fill()
        return over

    def close(self) -> None:
        """Wait for the processes, which end once their trials have."""
        for each in self._workers:
            each.tell(LetGo())
        for thread in self._threads:
            thread.join()

    def _tell_stop(self, is_set: bool) -> None:
        for each in self._workers:
            each.tell(StopChanged(is_set))

    def _fill(self) -> None:
        """Give out what waits. Trials that nobody is left for stay open."""
        left: list[_Trial] = []
        with self._lock:
            while self._waiting:
                there = [each for each in self._workers if not each.is_lost]
                worker = max(there, key=lambda each: each.room, default=None)
                if worker is not None and worker.room <= 0:
                    break
                trial = self._waiting.popleft()
                if not trial.over.set_running_or_notify_cancel():
                    continue
                if worker is None:
                    left.append(trial)
                    continue
                trial.worker = worker
                worker.room -= 1
                self._running[trial.head.trial_id] = trial
                worker.tell(Played(trial.head, trial.resume_state))
        for each in left:
            self._leave_open(each, "no process is left that works on trials")

    def _listen(self, worker: _Worker) -> None:
        """Take what a process tells until it ends."""
        while (gathered := worker.hear()) is not None:
            # Before anything is written, which waits for the disk: the process does not, if a trial is left.
            self._make_room(worker, sum(isinstance(told, Over) for told in gathered))
            for told in gathered:
                self._heed(told)
        worker.process.join()
        with self._lock:
            worker.is_lost = True
            lost = [each for each in self._running.values() if each.worker is worker]
            for each in lost:
                del self._running[each.head.trial_id]
        for each in lost:
            self._leave_open(each, f"its process ended with exit code {worker.process.exitcode}")
        self._fill()

    def _heed(self, told: Told) -> None:
        match told:
            case EncodedEvent():
                self._take(told)
            case Over(trial_id, failure):
                self._end(trial_id, failure)
            case Paused(failure):
                self._controls.pause(failure.error())

    def _make_room(self, worker: _Worker, trials: int) -> None:
        if trials:
            with self._lock:
                worker.room += trials
            self._fill()

    def _take(self, event: EncodedEvent | JournalEvent) -> None:
        """Write an event down, unless nothing can be written any more."""
        if self._failure is not None:
            return
        try:
            self._emit(event)
        except Exception as error:  # noqa: BLE001 - whatever it is: a listener that ended would leave the run waiting
            self._fail(error)
            return
        told = event.noted if isinstance(event, EncodedEvent) else event
        if isinstance(told, Scored) and self._ended_elsewhere is not None:
            self._ended_elsewhere(TrialScore(told.trial_id, told.score, told.details))

    def _leave_open(self, trial: _Trial, why: str) -> None:
        self._take(TrialLeftOpen(trial_id=trial.head.trial_id, reason=why))
        _finish(trial.over, None)

    def _end(self, trial_id: str, failure: FailureParcel | None) -> None:
        with self._lock:
            trial = self._running.pop(trial_id)
        _finish(trial.over, failure.error() if failure else None)

    def _fail(self, error: Exception) -> None:
        """End the whole run."""
        with self._lock:
            self._failure = error
            running = list(self._running.values())
        for each in running:
            _finish(each.over, error)


def _finish(over: Future[None], error: BaseException | None) -> None:
    """Note that a trial is over; what was noted first stands."""
    with contextlib.suppress(InvalidStateError):
        if error is None:
            over.set_result(None)
        else:
            over.set_exception(error)
