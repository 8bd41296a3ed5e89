"""The threads in which the trials of a run are played side by side.

Each thread plays one trial after another: in this process, or on a cluster (see
`controlplane.workers`). A trial that is stuck can be given up. A thread cannot be ended
from outside, so the stuck one is left alone, and a new thread takes its place.
"""

from __future__ import annotations

import gc
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

from controlplane.agent.events import build_models
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import TrialStub
from controlplane.configuration.run_settings import THREADS
from controlplane.errors import extra_module
from controlplane.lifecycle.benchmark_health import RunControls
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.trials.trial_lifecycle import run_trial
from controlplane.lifecycle.trials.trial_reports import Emit

GiveUpIfStuck: TypeAlias = Callable[[TrialStub, float], bool]
"""Gives up a trial if it is stuck, and returns True then. The number is the time at
which it began, by `time.monotonic`."""

LOOK_INTERVAL_S: Final = 0.2
"""Seconds between two looks at the trials. In between, the main thread can handle signals."""


@dataclass(frozen=True, slots=True)
class _WaitingTrial:
    """A trial that waits for a thread."""

    stub: TrialStub
    record: TrialRecord
    future: Future[None]
    """Done when the trial is over. If an error ends the whole run, the future has the error."""


@dataclass(frozen=True, slots=True)
class _RunningTrial:
    """A trial that a thread is playing."""

    stub: TrialStub
    future: Future[None]
    began_at: float
    """By `time.monotonic`."""


class Workers:
    """The threads of a run."""

    def __init__(
        self, play: Callable[[TrialStub, TrialRecord], None], count: int
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
        self._running: dict[threading.Thread, _RunningTrial] = {}
        """The trial that each of these threads is playing, if any."""
        self._running_lock = threading.Lock()
        """Held while `_running` is read or changed. So no trial ends,
        and none begins, while `give_up_stuck_trials` decides."""

    def submit(self, stub: TrialStub, record: TrialRecord) -> Future[None]:
        """Have a trial played as soon as a thread is free. Until then it can be cancelled."""
        future = Future[None]()
        self._waiting.put(_WaitingTrial(stub, record, future))
        if len(self._threads) < self._count:
            self._add_thread()
        return future

    def give_up_stuck_trials(
        self, give_up_if_stuck: GiveUpIfStuck
    ) -> set[Future[None]]:
        """Give up the trials that are stuck, and return their futures.

        A new thread takes the place of each thread that is stuck.
        """
        given_up = set()
        with self._running_lock:
            for thread, trial in list(self._running.items()):
                if give_up_if_stuck(trial.stub, trial.began_at):
                    given_up.add(trial.future)
                    del self._running[thread]
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
        thread = threading.current_thread()
        while True:
            trial = self._waiting.get()
            if trial is None:
                return
            was_cancelled = not trial.future.set_running_or_notify_cancel()
            if was_cancelled:
                continue

            running = _RunningTrial(trial.stub, trial.future, time.monotonic())
            with self._running_lock:
                self._running[thread] = running
            failure: BaseException | None = None
            try:
                self._play(trial.stub, trial.record)
            except BaseException as error:  # noqa: BLE001 - who waits for the trial gets it
                failure = error
            # `give_up_stuck_trials` removes the trial of a thread that it gives up.
            with self._running_lock:
                was_given_up = self._running.pop(thread, None) is None

            if failure is not None:
                trial.future.set_exception(failure)
            else:
                trial.future.set_result(None)
            if was_given_up:  # Another thread has taken the place of this one.
                return


OpenWorkers: TypeAlias = Callable[[RunResources, Emit, RunControls], Workers]
"""Makes the workers of a run. Raises `ControlPlaneError` if there are none."""


def open_workers(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Return workers that play trials where the settings say: in this process or at a cluster.

    `emit` writes the events of the trials to the journal. Raises `ControlPlaneError` if the cluster has no workers.
    """
    place = resources.spec.settings.workers
    if place != THREADS:
        cluster = extra_module(
            "controlplane.workers.dask_workers", f"--workers {place}", "cluster"
        )
        cluster_workers: Workers = cluster.open_cluster(resources, emit, controls)
        return cluster_workers
    build_models()
    # Begin to start the server of sandbox processes. The first script will not wait for it.
    resources.script_server.launch()

    def play(stub: TrialStub, record: TrialRecord) -> None:
        run_trial(resources, stub, emit, controls, record)

    return Workers(play, resources.spec.settings.concurrency)


def _never_give_up(stub: TrialStub, began_at: float) -> bool:
    return False


def play_all(
    workers: Workers,
    stubs: Iterable[TrialStub],
    *,
    controls: RunControls,
    records: Mapping[str, TrialRecord],
    give_up_if_stuck: GiveUpIfStuck = _never_give_up,
) -> None:
    """Play trials, and return when every one is over, cancelled or given up.

    `stubs` names the trials. `records` holds what earlier attempts did, by trial id.
    Raises the first error that ends the whole run.
    """
    unfinished: set[Future[None]] = set()
    finished: SimpleQueue[Future[None]] = SimpleQueue()
    for stub in stubs:
        unfinished.add(workers.submit(stub, records.get(stub.trial_id, TrialRecord())))
    for future in unfinished:
        future.add_done_callback(finished.put)

    while unfinished:
        ended = _next_finished(finished)
        if ended is not None:
            unfinished.discard(ended)
            error = None if ended.cancelled() else ended.exception()
            if error is not None:
                controls.stop.set()
                _cancel_waiting(unfinished)
                raise error

        if controls.stop.is_set():
            # Do not play the trials that have not begun, and wait for the others.
            cancelled = _cancel_waiting(unfinished)
            unfinished -= cancelled

        given_up = workers.give_up_stuck_trials(give_up_if_stuck)
        unfinished -= given_up


def _next_finished(finished: SimpleQueue[Future[None]]) -> Future[None] | None:
    """Wait a short time for a trial to finish. Return its future, or None if none has finished."""
    try:
        return finished.get(timeout=LOOK_INTERVAL_S)
    except Empty:
        return None


def _cancel_waiting(futures: Iterable[Future[None]]) -> set[Future[None]]:
    """Cancel the trials that no thread has taken, and return their futures."""
    cancelled = set()
    for future in futures:
        if future.cancel():  # False if the trial has begun
            cancelled.add(future)
    return cancelled


# --- The process ---

THREAD_SWITCH_S: Final = 0.02
"""Seconds between switches of threads. Switches cost CPU time, and no trial is in a hurry."""
ALLOCATIONS_BEFORE_COLLECTION: Final = 20_000
"""New objects after which garbage is collected. A collection
is quick, because it leaves out what was imported at the start."""


def tune_process() -> None:
    """Set up a process that does nothing but play trials."""
    sys.setswitchinterval(THREAD_SWITCH_S)
    # Each trial opens some files, and the usual limit is 1,024.
    _, max_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        # Some systems have a lower limit than they report.
        resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()  # What is imported stays: a collection that looks at it would stop every trial.
        gc.set_threshold(ALLOCATIONS_BEFORE_COLLECTION)
