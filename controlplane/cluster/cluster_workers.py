"""The workers of a cluster, as a run uses them: trials go out as tasks, events come back by the channel.

A trial whose worker is lost goes on at another, from what the journal holds of it. One thread decides everything here.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final

from agent.events import Noticed
from agent.loop import ResumeState
from controlplane.benchmark import TrialHead, TrialScore
from controlplane.cluster.channel_server import ChannelServer
from controlplane.cluster.enlisted_worker import work
from controlplane.cluster.shipped_data import Answer, Enlistment, Report, TrialReceipt, from_text, to_text
from controlplane.cluster.trial_attempt import TrialAttempt
from controlplane.cluster.worker_roster import Cluster, WorkerRoster
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

MOST_LOSSES: Final = 4
"""So many workers may be lost with a trial before it is left open."""
LOOK_S: Final = 1.0
"""Seconds between two looks at which workers there are."""
ANSWER_S: Final = 30.0
"""Seconds that workers have to be enlisted before the run begins; those that take longer join later."""
LAST_OF_TRIAL: Final = (TrialEnded, TrialFailed, TrialLeftOpen)


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
        self._is_begun = False
        self._actions: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._is_over = False
        self._server = server(self)
        self.run = secrets.token_hex(8)
        self._thread = threading.Thread(target=self._decide, name="cluster", daemon=True)

    def begin(self, enlistment: Callable[[ChannelServer, str], Enlistment]) -> None:
        """Enlist the workers that are there. Raises `Unreachable` if none of them is fit."""
        self._roster = WorkerRoster(self._cluster, enlistment(self._server, self.run), self._actions.put)
        self._roster.look()
        deadline = time.monotonic() + ANSWER_S
        while self._roster.asked and time.monotonic() < deadline:
            action = self._next_action()
            if action is not None:
                action()
        if not self._roster.enlisted and self._roster.refused:
            raise Unreachable(self._roster.shortage)
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
        controls, budget = self._home.controls, self._home.resources.budget
        retries = budget.retries
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
            used_up=budget.spending.used_up,
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

    def lost(self, worker: int, place: str) -> None:
        """Have the trials of a worker go on elsewhere."""
        self._actions.put(partial(self._lose_worker, worker, place))

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
        while self._roster.notices and self._is_begun:
            self._home.emit(RunNotice(text=self._roster.notices.pop(0)))

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
        if self._home.controls.stop.is_set():
            # One that has begun cannot be taken back; the others are by the fan-out.
            for each in [each for each in self._waiting if each.over.running()]:
                self._waiting.remove(each)
                self._leave_open(each, "and the run stopped before it went on")
            return
        most = self._home.resources.spec.settings.concurrency
        room = min(most, self._roster.room)
        while self._waiting and len(self._running) < room and not self._cluster.failure:
            attempt = self._waiting.popleft()
            if attempt.over.cancelled():
                continue
            self._running[attempt.name] = attempt
            attempt.places = frozenset(self._roster.enlisted)
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
            if receipt.ending == "not_enlisted":  # by one of them, after its channel was cut; all are asked again
                for place in attempt.places:
                    self._roster.lose(place)
            self._lose(attempt, "its channel was cut")

    def _lose_worker(self, worker: int, place: str) -> None:
        self._roster.lose(place)
        self._roster.look()
        for each in list(self._running.values()):
            # One that waits may have been given to that worker, which may hang for as long as the cluster lets it.
            if not each.over.done() and (each.worker == worker or (each.worker is None and place in each.places)):
                self._lose(each, "the channel was cut")

    def _lose(self, attempt: TrialAttempt, why: str) -> None:
        """Have a trial go on in another attempt, or leave it open where none may begin."""
        attempt.cut_off()
        self._running.pop(attempt.name, None)
        if attempt.task is not None:
            attempt.task.cancel()
        if attempt.losses >= MOST_LOSSES or self._home.controls.stop.is_set():
            self._leave_open(attempt, why)
            return
        if attempt.worker is not None:
            text = f"its worker was lost ({why}); it goes on at another"
            self._home.emit(Noticed(trial_id=attempt.head.trial_id, text=text))
        self._waiting.appendleft(attempt.next())

    def _leave_open(self, attempt: TrialAttempt, why: str) -> None:
        if attempt.over.running():
            reason = f"its worker was lost ({why})"
            self._home.emit(TrialLeftOpen(trial_id=attempt.head.trial_id, reason=reason))
        _finish(attempt.over)

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
        there = self._roster.look()
        for each in list(self._running.values()):
            if each.worker is None and not each.places & there:
                self._lose(each, "its worker went away")
        if self._roster.is_unstaffed:
            self._home.controls.pause(Unreachable(self._roster.shortage))


def _finish(over: Future[None]) -> None:
    if not over.done() and (over.running() or over.set_running_or_notify_cancel()):
        over.set_result(None)


def _first_line(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]
