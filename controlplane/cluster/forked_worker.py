"""A process forked from the run's own, and what the two tell each other.

It works on the trials that it is given with what it inherited, and hands over what happens, in its order.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from types import FrameType
from typing import Final, TypeAlias

from agent.loop import ResumeState
from controlplane.benchmark import TrialHead
from controlplane.cluster.shipped_data import FailureParcel
from controlplane.journal.encoded_events import EncodedEvent, KnownTexts, encode_event
from controlplane.journal.run_events import JournalEvent, RunNotice
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import RunControls, run_trial
from sandbox import ForkServer

_ABANDONED: Final = 1
"""The exit code of a process whose run is gone."""
GATHERED_S: Final = 0.02
"""Seconds for which events gather before they are told, unless something is urgent: a message wakes two processes."""


@dataclass(frozen=True, slots=True)
class Played:
    """Work on this trial."""

    head: TrialHead
    resume_state: ResumeState


@dataclass(frozen=True, slots=True)
class StopChanged:
    """Leave running trials open after their step, or have them go on to their end after all."""

    is_set: bool


@dataclass(frozen=True, slots=True)
class LetGo:
    """End once no trial runs any more."""


@dataclass(frozen=True, slots=True)
class Over:
    """A trial is over, and all its events are told."""

    trial_id: str
    failure: FailureParcel | None = None
    """What ends the whole run, if it failed."""


@dataclass(frozen=True, slots=True)
class Paused:
    """Every further trial would fail the same way."""

    failure: FailureParcel


Told: TypeAlias = EncodedEvent | Over | Paused


def serve(
    connection: Connection,
    others: Iterable[Connection],
    resources: RunResources,
    server: ForkServer | None,
    threads: int,
    core: int | None,
) -> None:
    """Work on trials, so many at a time, until the run lets go of this process; end at once when the run is gone.

    `others` are the run's ends of its connections: as long as one is open here, no worker would see that it is gone.
    `server` makes the processes of the trials here; without one, what is inherited does. `core` is the one to keep to.
    """
    if core is not None:
        with contextlib.suppress(OSError):  # It may have been taken away meanwhile.
            os.sched_setaffinity(0, {core})
    for each in others:
        each.close()
    if server is not None:
        resources.adopt_server(server)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave_to_the_run)
    gc.freeze()  # What was inherited is not looked through again and again.
    _Worker(connection, resources, threads).serve()


def _leave_to_the_run(number: int, frame: FrameType | None) -> None:
    """Ctrl-C reaches every process of a terminal; the run's own says what becomes of the trials."""


class _Worker:
    def __init__(self, connection: Connection, resources: RunResources, threads: int) -> None:
        self._connection = connection
        self._resources = resources
        self._told = SimpleQueue[Told | None]()
        self._known = KnownTexts()
        self._is_urgent = threading.Event()
        self._pool = ThreadPoolExecutor(threads)
        self._is_let_go = threading.Event()
        resources.on_notice = lambda text: self._emit(RunNotice(text=text))
        self._controls = RunControls(
            stop=resources.context.stop, pause=lambda error: self._tell_now(Paused(FailureParcel.of(error)))
        )

    def serve(self) -> None:
        threading.Thread(target=self._listen, name="run", daemon=True).start()
        teller = threading.Thread(target=self._tell_all, name="teller")
        teller.start()
        self._is_let_go.wait()
        self._pool.shutdown()
        self._tell_now(None)
        teller.join()
        self._resources.close()

    def _listen(self) -> None:
        stop = self._resources.context.stop
        try:
            while True:
                match self._connection.recv():
                    case Played(head, resume_state):
                        self._pool.submit(self._work, head, resume_state)
                    case StopChanged(is_set):
                        stop.set() if is_set else stop.clear()
                    case LetGo():
                        self._is_let_go.set()
        except (EOFError, OSError):
            os._exit(_ABANDONED)

    def _work(self, head: TrialHead, resume_state: ResumeState) -> None:
        failure = None
        try:
            run_trial(self._resources, head, self._emit, self._controls, resume_state)
        except BaseException as error:  # noqa: BLE001 - whatever it is: the run waits until it hears that this is over
            failure = FailureParcel.of(error)
        self._tell_now(Over(head.trial_id, failure))

    def _emit(self, event: JournalEvent) -> None:
        encoded = encode_event(event, self._known, RunSummary.noted(event))
        # Noted once the message has its place: what refers to a text must not be told before the text.
        self._told.put(encoded)
        self._known.remember(encoded.texts)

    def _tell_now(self, told: Told | None) -> None:
        self._told.put(told)
        self._is_urgent.set()

    def _tell_all(self) -> None:
        """Tell in their order what has gathered: one message of many takes a part of the time of many."""
        while (told := self._told.get()) is not None:
            self._is_urgent.wait(GATHERED_S)
            self._is_urgent.clear()
            gathered = [told]
            while not self._told.empty() and (told := self._told.get()) is not None:
                gathered.append(told)
            try:
                self._connection.send(gathered)
            except Exception:  # noqa: BLE001 - nobody hears this process any more, or it has no words for something
                os._exit(_ABANDONED)
            if told is None:
                return
