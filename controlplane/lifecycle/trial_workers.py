"""The threads in which the trials of a run are played side by side.

Each thread sees one trial after another through, in this process or at another one (see
`controlplane.workers`). A trial that gives no sign of life can be given up: its thread is left to
itself, and a new thread takes its place.
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
from controlplane.agent.trial_record import TrialRecord
from controlplane.benchmark import TrialStub
from controlplane.configuration.run_settings import THREADS
from controlplane.errors import extra_module
from controlplane.lifecycle.benchmark_health import RunControls
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import Emit, run_trial

IsLate: TypeAlias = Callable[[TrialStub, float], bool]
"""Says whether to give up a trial that began at a moment of `time.monotonic`."""

LOOK_INTERVAL_S: Final = 0.2
"""Seconds between two looks at the trials. On every platform signals reach the main thread then."""


@dataclass(frozen=True, slots=True)
class _WaitingTrial:
    """A trial that waits for a thread."""

    stub: TrialStub
    record: TrialRecord
    future: Future[None]
    """Done when the trial is over; it has the error that ends the whole run, if there is one."""


@dataclass(frozen=True, slots=True)
class _RunningTrial:
    """A trial that a thread is playing."""

    stub: TrialStub
    future: Future[None]
    began_at: float
    """By `time.monotonic`."""


class Workers:
    """The threads of a run."""

    def __init__(self, play: Callable[[TrialStub, TrialRecord], None], count: int) -> None:
        """Play up to `count` trials at a time.

        `play` returns when a trial is over and all its events are emitted. It raises what ends the
        whole run.
        """
        self._play = play
        self._count = count
        self._waiting = SimpleQueue[_WaitingTrial | None]()
        """The trials that no thread has taken; None tells a thread to end."""
        self._running: dict[threading.Thread, _RunningTrial] = {}
        self._threads: list[threading.Thread] = []

    def submit(self, stub: TrialStub, record: TrialRecord) -> Future[None]:
        """Have a trial played as soon as a thread is free. Until then the future can be cancelled."""
        future = Future[None]()
        self._waiting.put(_WaitingTrial(stub, record, future))
        if len(self._threads) < self._count:
            self._add_thread()
        return future

    def give_up(self, is_late: IsLate) -> set[Future[None]]:
        """Give up the running trials that are late, and return their futures."""
        given_up = set()
        for thread, trial in list(self._running.items()):
            if is_late(trial.stub, trial.began_at):
                given_up.add(trial.future)
                self._running.pop(thread, None)
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
        while thread in self._threads:
            trial = self._waiting.get()
            if trial is None:
                return
            if not trial.future.set_running_or_notify_cancel():
                continue
            self._running[thread] = _RunningTrial(trial.stub, trial.future, time.monotonic())
            try:
                self._play(trial.stub, trial.record)
            except BaseException as error:  # noqa: BLE001 - who waits for the trial gets it
                trial.future.set_exception(error)
            else:
                trial.future.set_result(None)
            self._running.pop(thread, None)


OpenWorkers: TypeAlias = Callable[[RunResources, Emit, RunControls], Workers]
"""Makes the workers of a run. Raises `ControlPlaneError` if there are none."""


def open_workers(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Return workers that play trials where the settings say: in this process or at a cluster.

    Raises `ControlPlaneError` if the cluster has none.
    """
    place = resources.spec.settings.workers
    if place != THREADS:
        cluster = extra_module("controlplane.workers.dask_workers", f"--workers {place}", "cluster")
        cluster_workers: Workers = cluster.open_cluster(resources, emit, controls)
        return cluster_workers
    build_models()
    resources.launch_server()  # It is ready before the first reply brings a script.

    def play(stub: TrialStub, record: TrialRecord) -> None:
        run_trial(resources, stub, emit, controls, record)

    return Workers(play, resources.spec.settings.concurrency)


def _never_late(stub: TrialStub, began_at: float) -> bool:
    return False


def play_all(
    workers: Workers,
    stubs: Iterable[TrialStub],
    *,
    controls: RunControls,
    records: Mapping[str, TrialRecord],
    is_late: IsLate = _never_late,
) -> None:
    """Play trials, and return when every one is over or given up.

    `records` holds what earlier attempts did, by trial id. Raises the first error that ends the whole
    run.
    """
    unfinished: set[Future[None]] = set()
    finished: SimpleQueue[Future[None]] = SimpleQueue()
    for stub in stubs:
        unfinished.add(workers.submit(stub, records.get(stub.trial_id, TrialRecord())))
    for future in unfinished:
        future.add_done_callback(finished.put)

    while unfinished:
        with suppress(Empty):
            future = finished.get(timeout=LOOK_INTERVAL_S)
            unfinished.discard(future)
            error = None if future.cancelled() else future.exception()
            if error is not None:
                controls.stop.set()
                for waiting in unfinished:
                    waiting.cancel()
                raise error
        if controls.stop.is_set():
            # Trials that have not begun are left out; those that have are waited for.
            unfinished = {future for future in unfinished if not future.cancel()}
        unfinished -= workers.give_up(is_late)


# --- The process ---

THREAD_SWITCH_S: Final = 0.02
"""Seconds between switches of threads: they are alike, and each switch costs CPU time."""
ALLOCATIONS_BEFORE_COLLECTION: Final = 20_000
"""New objects after which garbage is collected. A collection is quick, because imported modules are
left out of it; without any, garbage would take memory."""


def tune_process() -> None:
    """Set up a process that does nothing but play trials."""
    sys.setswitchinterval(THREAD_SWITCH_S)
    # Each trial opens some files, and the usual limit is 1,024.
    _, max_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # Some systems have a lower limit than they report.
        resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()  # What is imported stays: a collection that looks at it would stop every trial.
        gc.set_threshold(ALLOCATIONS_BEFORE_COLLECTION)
