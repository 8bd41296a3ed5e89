"""Processes forked from the run's own, so that a benchmark whose worlds are computed here uses several cores.

Threads suffice for waiting on a platform or a model; if trials only compute, threads of one process share one core.
"""

from __future__ import annotations

import contextlib
import gc
import math
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Iterable, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Final

from agent.events import build_models
from agent.retry import SpendingLimits
from controlplane.configuration.run_settings import AUTOMATIC
from controlplane.errors import Unreachable
from controlplane.lifecycle.run_lifecycle import Record, Workers
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import RunControls
from controlplane.workers.channel import Connection
from controlplane.workers.dispatcher import Dispatcher, RunWorker
from controlplane.workers.worker import Worker
from sandbox import ForkServer

MOST_AT_A_TIME: Final = 2
"""Trials that one process works on at a time: one computes while the other waits for its scripts and its aide. With
more, trials take turns, which costs a sixth of the time. So do two trials of a process that keeps to one core, unless
calls wait."""
_TASKS: Final = Path("/proc/self/task")
"""One entry for each thread of this process."""


def forked_workers(resources: RunResources) -> ForkedWorkers | None:
    """Fork a worker for each core, if the settings allow it and the run gains by it; else return None.

    Only a single-threaded process forks safely, so call this before anything starts a thread.
    """
    settings, opened = resources.spec.settings, resources.opened
    count = min(len(_cores()), settings.concurrency)
    is_computed_here = opened.rebuilds_trials and opened.ended_elsewhere is not None and not opened.stays_here
    is_bounded = resources.budget.spending.limits != SpendingLimits()  # limits that the trials share
    if settings.workers != AUTOMATIC or not is_computed_here or resources.asks_endpoints or is_bounded:
        return None
    return ForkedWorkers(resources, count) if count > 1 and _threads() == 1 else None


def _cores() -> Sequence[int]:
    """Return the cores that this process may use; empty if the system does not say."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else ()


def _cores_for(count: int) -> Sequence[int | None]:
    """Return the core for each of `count` processes; None, for any core, unless the processes use all cores.

    A process, its scripts and its aides wait for each other: a message to another core takes seven times as long.
    """
    cores = _cores()
    return cores if len(cores) == count else [None] * count


def _at_a_time(resources: RunResources, cores: Sequence[int | None]) -> int:
    most = MOST_AT_A_TIME if None in cores or resources.opened.calls_wait else 1
    return min(math.ceil(resources.spec.settings.concurrency / len(cores)), most)


def _threads() -> int:
    """Return the number of threads of this process, including those of libraries; 0 if unknown."""
    try:
        return sum(1 for _ in _TASKS.iterdir())
    except OSError:
        return 0


class ForkedWorkers:
    """Forked processes; `open` makes them the workers of a run."""

    def __init__(self, resources: RunResources, count: int) -> None:
        """Fork `count` processes, which together run at most the number of concurrent trials in the settings."""
        build_models()
        context = multiprocessing.get_context("fork")
        cores = _cores_for(count)
        self._room = _at_a_time(resources, cores)
        self._processes: list[tuple[BaseProcess, socket.socket]] = []
        self._threads: list[threading.Thread] = []
        for core in cores:
            ours, theirs = socket.socketpair()
            others = [ours, *(connection for _, connection in self._processes)]
            server = resources.copied_server(core)
            given = (theirs, others, resources, server, core)
            process = context.Process(target=_work, args=given, daemon=True)
            process.start()
            theirs.close()
            if server is not None:
                server.close()
            self._processes.append((process, ours))

    def open(self, resources: RunResources, emit: Record, controls: RunControls) -> Workers:
        """Return the workers of the run. Call it once. A trial whose process is lost is left open."""
        dispatcher = Dispatcher(resources, emit, controls, most_losses=1, on_close=self.close)
        for process, connection in self._processes:
            given = (dispatcher, controls, process, Connection(connection, silence_s=None))
            self._threads.append(threading.Thread(target=self._attend, args=given, name="worker"))
            self._threads[-1].start()
        return dispatcher

    def _attend(
        self, dispatcher: Dispatcher, controls: RunControls, process: BaseProcess, connection: Connection
    ) -> None:
        def loss(fault: str) -> str:
            process.join()
            return f"its process ended with exit code {process.exitcode}"

        dispatcher.attend(RunWorker(connection, self._room, loss=loss))
        if not (dispatcher.places or dispatcher.is_over):
            controls.pause(Unreachable("no process is left to work on trials"))

    def close(self) -> None:
        """Wait for the processes, which end after their trials, or at once if no run has opened them."""
        for _, connection in self._processes if not self._threads else ():
            connection.close()
        for thread in self._threads:
            thread.join()
        for process, _ in self._processes:
            process.join()
        self._processes = []


def _work(
    connection: socket.socket,
    others: Iterable[socket.socket],
    resources: RunResources,
    server: ForkServer | None,
    core: int | None,
) -> None:
    """Work on trials until the run releases this process; end at once when the run is gone.

    `others` are the run's ends of its connections, to close here: open ones would hide the run's end from workers.
    `server` makes the processes of trials, instead of the inherited one. `core` is the core to keep to.
    """
    if core is not None:
        with contextlib.suppress(OSError):  # The core may have been taken away meanwhile.
            os.sched_setaffinity(0, {core})
    for other in others:
        other.close()
    if server is not None:
        resources.adopt_server(server)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave_to_the_run)
    gc.freeze()  # Spares collections the inherited objects.
    Worker(Connection(connection, silence_s=None), on_lost=lambda: os._exit(1)).serve(resources)
    resources.close()


def _leave_to_the_run(number: int, frame: FrameType | None) -> None:
    """Ignore Ctrl-C, which reaches every process of a terminal: the run's process decides about the trials."""
