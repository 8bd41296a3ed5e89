"""Processes forked from the run's own, so that a benchmark whose worlds are computed here uses several cores.

Threads suffice for waiting on a platform or a model; if trials only compute, threads of one process share one core.
Changes of such trials stay inside their process, so no event has to be written before one is made.
"""

from __future__ import annotations

import contextlib
import gc
import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from typing import Final, TypeAlias

from agent.events import build_models
from agent.evidence import ResumeState
from agent.retry import SpendingLimits
from controlplane.benchmark import TrialHead
from controlplane.configuration.run_settings import AUTOMATIC
from controlplane.errors import Unreachable
from controlplane.journal.journal_lines import EncodedEvent, encode_event
from controlplane.journal.run_events import JournalEvent, RunNotice, TrialLeftOpen
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.run_lifecycle import Record, Workers
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import RunControls, portable_error, run_trial
from sandbox import ForkServer

MOST_AT_A_TIME: Final = 2
"""Trials that one process plays at a time: one computes while the other waits for its scripts and its aide. With more,
trials take turns, which costs a sixth of the time. So do two trials of a process that keeps to one core, unless calls
wait."""
GATHERED_S: Final = 0.02
"""Seconds for which events gather before they are sent: a message wakes two processes."""
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


_Place: TypeAlias = tuple[BaseProcess, Connection]
"""A process, and a connection to it on which it plays one trial at a time."""


@dataclass(frozen=True, slots=True)
class _News:
    """A message of a process about the trial that it plays."""

    events: list[EncodedEvent] = field(default_factory=list)
    pause: Exception | None = None
    """Every further trial would fail the same way."""
    is_over: bool = False
    failure: Exception | None = None
    """The error that ended the trial and ends the run."""


class ForkedWorkers:
    """Forked processes; `open` makes them the workers of a run."""

    def __init__(self, resources: RunResources, count: int) -> None:
        """Fork `count` processes."""
        build_models()
        context = multiprocessing.get_context("fork")
        cores = _cores_for(count)
        self._room = _at_a_time(resources, cores)
        self._idle: SimpleQueue[_Place | None] = SimpleQueue()
        self._processes: list[BaseProcess] = []
        self._connections: list[Connection] = []
        self._signals: list[Connection] = []
        """By process, the connection that tells it to stop; closed at the run's end."""
        for core in cores:
            pairs = [context.Pipe() for _ in range(self._room + 1)]
            ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            server = resources.copied_server(core)
            others = [*ours, *self._connections, *self._signals]
            process = context.Process(target=_work, args=(theirs, others, resources, server, core), daemon=True)
            process.start()
            for connection in theirs:
                connection.close()
            if server is not None:
                server.close()
            self._processes.append(process)
            self._signals.append(ours[0])
            self._connections += ours[1:]
            for connection in ours[1:]:
                self._idle.put((process, connection))

    def open(self, resources: RunResources, emit: Record, controls: RunControls) -> Workers:
        """Return the workers of the run. Call it once. A trial whose process is lost is left open."""
        self._emit, self._controls = emit, controls
        self._left, self._lock = len(self._connections), threading.Lock()
        resources.context.stop.listen(self._signal_stop)
        count = min(self._left, resources.spec.settings.concurrency)
        return Workers(self._play, count, on_close=self.close)

    def _signal_stop(self) -> None:
        """Send every process the stop. Safe in a signal handler: takes no lock."""
        for connection in self._signals:
            with contextlib.suppress(OSError):
                connection.send(None)

    def _play(self, head: TrialHead, resume_state: ResumeState) -> None:
        """Have a process play a trial, and write its events. Raises the error that ends the run."""
        place = self._idle.get()
        if place is None or self._controls.no_new.is_set():
            self._idle.put(place)
            return
        process, connection = place
        try:
            connection.send((head, resume_state))
            news = _News()
            while not news.is_over:
                news = connection.recv()
                for event in news.events:
                    self._emit(event)
                if news.pause is not None:
                    self._controls.pause(news.pause)
        except (OSError, EOFError):
            with self._lock:
                process.join()
                self._left -= 1
            reason = f"its process ended with exit code {process.exitcode}"
            self._emit(TrialLeftOpen(trial_id=head.trial_id, reason=reason))
            if not self._left:
                self._controls.pause(Unreachable("no process is left to work on trials"))
                self._idle.put(None)
            return
        self._idle.put(place)
        if news.failure is not None:
            raise news.failure

    def close(self) -> None:
        """Release the processes, and wait for their end."""
        for connection in (*self._signals, *self._connections):
            connection.close()
        for process in self._processes:
            process.join()
        self._processes, self._connections, self._signals = [], [], []


# The rest of this module runs in the forked process.


class _Link:
    """A connection to the run. Used by the thread that plays trials on it, and for notices by others."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._events: list[EncodedEvent] = []
        self._sent_at = 0.0
        self._lock = threading.Lock()

    def emit(self, event: JournalEvent) -> None:
        encoded = encode_event(event, noted=RunSummary.noted(event))
        with self._lock:
            self._events.append(encoded)
        if time.monotonic() - self._sent_at > GATHERED_S:
            self.send()

    def send(self, pause: Exception | None = None, *, is_over: bool = False, failure: Exception | None = None) -> None:
        with self._lock:
            events, self._events, self._sent_at = self._events, [], time.monotonic()
            self.connection.send(_News(events, pause, is_over, failure))


_LINK: Final[ContextVar[_Link]] = ContextVar("_LINK")
"""The connection on which this thread plays trials."""


def _work(
    connections: Sequence[Connection],
    others: Iterable[Connection],
    resources: RunResources,
    server: ForkServer | None,
    core: int | None,
) -> None:
    """Play trials until the run releases this process; end at once when the run is gone.

    The first of `connections` tells of a stop, each other one takes trials. `others` are the run's ends of all
    connections, to close here: open ones would hide the run's end. `server` makes the processes of trials, instead of
    the inherited one. `core` is the core to keep to.
    """
    if core is not None:
        with contextlib.suppress(OSError):  # The core may have been taken away meanwhile.
            os.sched_setaffinity(0, {core})
    for other in others:
        other.close()
    if server is not None:
        resources.adopt_server(server)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Ctrl-C reaches every process of a terminal; the run's process decides about the trials.
        signal.signal(number, lambda number, frame: None)
    gc.freeze()  # Spares collections the inherited objects.
    stop, signals = resources.context.stop, connections[0]
    controls = RunControls(stop=stop, pause=lambda error: _LINK.get().send(portable_error(error)))
    links = [_Link(connection) for connection in connections[1:]]
    resources.on_notice = lambda text: _LINK.get(links[0]).emit(RunNotice(text=text))
    for link in links:
        threading.Thread(target=_play_all, args=(link, resources, controls), daemon=True).start()
    with contextlib.suppress(OSError, EOFError):
        while True:
            signals.recv()
            stop.set()
    resources.close()
    os._exit(0)


def _play_all(link: _Link, resources: RunResources, controls: RunControls) -> None:
    _LINK.set(link)
    with contextlib.suppress(OSError, EOFError):  # The run is over, or gone.
        while True:
            head, resume_state = link.connection.recv()
            failure = None
            try:
                run_trial(resources, head, link.emit, controls, resume_state)
            except (OSError, EOFError):
                raise
            except BaseException as error:  # noqa: BLE001 - any error: the run waits to hear that the trial is over
                failure = portable_error(error)
            link.send(is_over=True, failure=failure)
