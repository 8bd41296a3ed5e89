"""The workers of a cluster, as a run uses them: trials go out as tasks, events come back by the channel.

A trial whose worker is lost goes on at another, from what the journal holds of it. One thread decides everything here.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final, Protocol

from agent.events import Noticed
from agent.loop import ResumeState
from controlplane.benchmark import TrialHead, TrialScore
from controlplane.cluster.channel_server import ChannelServer
from controlplane.cluster.enlisted_worker import work
from controlplane.cluster.shipped_data import Answer, Enlistment, Report, TrialReceipt, from_text, to_text
from controlplane.cluster.trial_attempt import TrialAttempt
from controlplane.errors import ControlPlaneError, Unreachable
from controlplane.journal.run_events import (
    JOURNAL_EVENT,
    JournalEvent,
    RunNotice,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import Emit, RunControls

MOST_ATTEMPTS: Final = 5
"""So many workers may be lost with a trial before it is left open."""
LOOK_S: Final = 1.0
"""Seconds between two looks at which workers there are."""
UNSTAFFED_S: Final = 60.0
"""Seconds without any worker that takes trials after which the run is paused."""


LAST_OF_TRIAL: Final = (TrialEnded, TrialFailed, TrialLeftOpen)


class Cluster(Protocol):
    """What runs tasks on workers."""

    @property
    def failure(self) -> str:
        """Why the cluster takes no tasks any more; empty if it does."""
        ...

    def workers(self) -> Mapping[str, int]:
        """Return how many tasks each worker runs at a time, by its address."""
        ...

    def enlist(self, places: Sequence[str], text: str) -> Mapping[str, str]:
        """Enlist workers for the run of an `Enlistment`; return by address why one cannot be, empty if it is."""
        ...

    def submit(self, function: Callable[[str], str], text: str, places: Sequence[str]) -> Future[str]:
        """Run a task at one of these workers. The future of one that cannot be submitted is cancelled."""
        ...

    def close(self) -> None:
        """Let go of the cluster."""
        ...


@dataclass(frozen=True, slots=True)
class _RunAtHome:
    """What the process of the run has of it."""

    resources: RunResources
    emit: Emit
    controls: RunControls


class ClusterWorkers:
    """Runs trials on a cluster. A `Workers` of the lifecycle, and the desk of the channel."""

    def __init__(
        self,
        home: tuple[RunResources, Emit, RunControls],
        cluster: Cluster,
        server: Callable[[ClusterWorkers], ChannelServer],
    ) -> None:
        self._home = _RunAtHome(*home)
        self._cluster = cluster
        self._waiting: deque[TrialAttempt] = deque()
        self._running: dict[str, TrialAttempt] = {}
        self._enlisted: dict[str, int] = {}
        self._refused: dict[str, str] = {}
        self._asked: set[str] = set()
        self._notices: list[str] = []
        self._is_begun = False
        self._staffed_at = time.monotonic()
        self._actions: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._is_over = False
        self._server = server(self)
        self.run = secrets.token_hex(8)
        self._enlistment = ""
        self._thread = threading.Thread(target=self._decide, name="cluster", daemon=True)

    def begin(self, enlistment: Callable[[ChannelServer, str], Enlistment]) -> None:
        """Enlist the workers that are there. Raises `Unreachable` if none of them is fit."""
        self._enlistment = to_text(enlistment(self._server, self.run))
        there = self._cluster.workers()
        self._take_enlisted(there, self._cluster.enlist(list(there), self._enlistment))
        if not self._enlisted and self._refused:
            raise Unreachable(self._unstaffed_text())
        self._thread.start()

    def submit(self, head: TrialHead, resume_state: ResumeState) -> Future[None]:
        """Have the trial run at the next worker that is free."""
        over = Future[None]()
        attempt = TrialAttempt(head, over, resume_state)
        self._actions.put(partial(self._admit, attempt))
        return over

    def close(self) -> None:
        """End the channel and let go of the cluster."""
        self._is_over = True
        if self._thread.is_alive():
            self._actions.put(None)
            self._thread.join()
        self._server.close()
        self._cluster.close()

    # The desk: called by the threads of the connections.

    def take(self, worker: int, report: Report) -> Answer:
        """Write down what a worker reports, and tell it what it has to know. Raises `ValueError`."""
        cut_off = set()
        try:
            for name, fields in report.events:
                if not self._take_event(worker, name, fields):
                    cut_off.add(name)
        except ControlPlaneError as error:
            self._actions.put(partial(self._fail, error))
            return Answer(stop=True, cut_off=tuple(self._running))
        controls, retries = self._home.controls, self._home.resources.budget.retries
        for _ in range(report.replies):
            retries.give_back()
        if report.pause_s:
            retries.pause(report.pause_s)
        if report.failure is not None:
            controls.pause(report.failure.error())
        return Answer(
            cut_off=tuple(cut_off),
            stop=controls.stop.is_set(),
            is_over=self._is_over,
            retries_granted=sum(retries.take() for _ in range(report.retries_asked)),
            pause_s=retries.paused_s(),
        )

    def _take_event(self, worker: int, name: str, fields: dict[str, object]) -> bool:
        """Write an event down; return whether its attempt is still the one that counts."""
        if not name:
            event: JournalEvent = JOURNAL_EVENT.validate_python(fields)
            if not isinstance(event, RunNotice):
                msg = f"an event of no trial is a notice, not {event.type!r}"
                raise ValueError(msg)
            self._home.emit(event)
            return True
        attempt = self._running.get(name)
        if attempt is None:
            return False
        with attempt.lock:
            if attempt.is_cut_off or attempt.worker not in (None, worker):
                return False
            if attempt.worker is None:
                if not (attempt.over.running() or attempt.over.set_running_or_notify_cancel()):
                    return False
                attempt.worker = worker
            self._home.emit(event := attempt.event_of(fields))
        if isinstance(event, Scored) and (ended_elsewhere := self._home.resources.opened.ended_elsewhere):
            ended_elsewhere(TrialScore(event.trial_id, event.score, event.details))
        if isinstance(event, LAST_OF_TRIAL):
            # Whatever becomes of its worker now, the trial is not begun again.
            _finish(attempt.over)
        return True

    def lost(self, worker: int) -> None:
        """Have the trials of a worker go on elsewhere."""
        self._actions.put(partial(self._lose_worker, worker))

    # What the one thread does.

    def _decide(self) -> None:
        try:
            looked_at = time.monotonic()
            while (action := self._next_action()) is not None:
                action()
                if time.monotonic() - looked_at >= LOOK_S:
                    self._look()
                    looked_at = time.monotonic()
                self._tell()
                self._fill()
        except ControlPlaneError as error:
            self._fail(error)
        except BaseException as error:
            self._fail(error)
            raise

    def _next_action(self) -> Callable[[], None] | None:
        try:
            return self._actions.get(timeout=LOOK_S)
        except Empty:
            return lambda: None

    def _tell(self) -> None:
        """Write down what the user should know; before the first trial is submitted there is no journal to do so."""
        while self._notices and self._is_begun:
            self._home.emit(RunNotice(text=self._notices.pop(0)))

    def _admit(self, attempt: TrialAttempt) -> None:
        self._is_begun = True
        attempt.over.add_done_callback(lambda over: self._actions.put(partial(self._take_back, attempt)))
        self._waiting.append(attempt)

    def _take_back(self, attempt: TrialAttempt) -> None:
        """Give the room of a trial that is over, or that was taken back before it began, to another."""
        for name in [name for name, each in self._running.items() if each.over is attempt.over]:
            each = self._running.pop(name)
            if attempt.over.cancelled():
                each.cut_off()
                if each.task is not None:
                    each.task.cancel()

    def _fill(self) -> None:
        most = self._home.resources.spec.settings.concurrency
        room = min(most, sum(self._enlisted.values()))
        while self._waiting and len(self._running) < room and not self._cluster.failure:
            attempt = self._waiting.popleft()
            if attempt.over.cancelled():
                continue
            self._running[attempt.name] = attempt
            attempt.places = frozenset(self._enlisted)
            text = to_text(attempt.parcel(self.run))
            attempt.task = self._cluster.submit(work, text, sorted(attempt.places))
            attempt.task.add_done_callback(partial(self._note_receipt, attempt))

    def _note_receipt(self, attempt: TrialAttempt, task: Future[str]) -> None:
        del task
        self._actions.put(partial(self._take_receipt, attempt))

    def _take_receipt(self, attempt: TrialAttempt) -> None:
        task = attempt.task
        if attempt.is_cut_off or attempt.over.done() or task is None:
            return
        if task.cancelled() or task.exception() is not None:
            self._lose(attempt, "its task was given up" if task.cancelled() else _first_line(task.exception()))
            return
        receipt = from_text(TrialReceipt, task.result())
        if receipt.ending == "failed" and receipt.failure is not None:
            self._fail(receipt.failure.error())
        elif receipt.ending == "over":
            _finish(attempt.over)
        else:
            self._enlisted.clear()  # All are asked again; those that are enlisted say so at once.
            self._lose(attempt, "its channel was cut")

    def _lose_worker(self, worker: int) -> None:
        self._enlisted.clear()
        for each in list(self._running.values()):
            if each.worker == worker and not each.over.done():
                self._lose(each, "the channel was cut")

    def _lose(self, attempt: TrialAttempt, why: str) -> None:
        """Have a trial go on in another attempt, or leave it open where none may begin."""
        attempt.cut_off()
        self._running.pop(attempt.name, None)
        if attempt.task is not None:
            attempt.task.cancel()
        trial_id, has_begun = attempt.head.trial_id, attempt.over.running()
        gives_up = attempt.number >= MOST_ATTEMPTS or self._home.controls.no_new.is_set()
        if gives_up and has_begun:
            self._home.emit(TrialLeftOpen(trial_id=trial_id, reason=f"its worker was lost ({why})"))
        elif has_begun:
            self._home.emit(Noticed(trial_id=trial_id, text=f"its worker was lost ({why}); it goes on at another"))
        if gives_up:
            _finish(attempt.over)
        else:
            self._waiting.appendleft(attempt.next())

    def _fail(self, error: BaseException) -> None:
        """End the whole run."""
        for each in [*self._running.values(), *self._waiting]:
            each.cut_off()
            if not each.over.done() and (each.over.running() or each.over.set_running_or_notify_cancel()):
                each.over.set_exception(error)

    def _look(self) -> None:
        """Enlist workers that have come, give up what waits for workers that have gone, pause a run without any."""
        failure = self._cluster.failure
        if failure:
            self._home.controls.pause(Unreachable(failure))
            for each in list(self._running.values()):
                self._lose(each, failure)
            return
        there = self._enlist()
        for each in list(self._running.values()):
            if each.worker is None and not each.places & there:
                self._lose(each, "its worker went away")
        if self._enlisted:
            self._staffed_at = time.monotonic()
        elif time.monotonic() - self._staffed_at > UNSTAFFED_S:
            self._home.controls.pause(Unreachable(self._unstaffed_text()))

    def _enlist(self) -> frozenset[str]:
        """Have new workers enlisted, in a thread of its own: one that hangs holds nothing up. Return who is there."""
        there = self._cluster.workers()
        self._enlisted = {place: room for place, room in self._enlisted.items() if place in there}
        self._refused = {place: why for place, why in self._refused.items() if place in there}
        new = sorted(there.keys() - self._enlisted.keys() - self._refused.keys() - self._asked)
        if new:
            self._asked.update(new)

            def ask() -> None:
                found = self._cluster.enlist(new, self._enlistment)
                self._actions.put(lambda: self._take_enlisted(there, found))

            threading.Thread(target=ask, name="enlist", daemon=True).start()
        return frozenset(there)

    def _take_enlisted(self, there: Mapping[str, int], found: Mapping[str, str]) -> None:
        self._asked.difference_update(there)
        self._enlisted |= {place: there[place] for place, why in found.items() if not why}
        refused = {place: why for place, why in found.items() if why}
        self._refused |= refused
        self._notices += [f"the worker {place} is refused: {why}" for place, why in refused.items()]

    def _unstaffed_text(self) -> str:
        reasons = Counter(self._refused.values())
        told = "; ".join(f"{why} ({count} of them)" if count > 1 else why for why, count in reasons.most_common(3))
        return f"the cluster has no worker that takes trials{': ' + told if told else '; start some'}"


def _finish(over: Future[None]) -> None:
    if not over.done() and (over.running() or over.set_running_or_notify_cancel()):
        over.set_result(None)


def _first_line(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]
