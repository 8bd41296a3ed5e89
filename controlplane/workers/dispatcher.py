"""The run's side of its workers: hands out trials, writes workers' events to the journal, and continues trials of lost
workers elsewhere or leaves them open.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

from agent.events import ModelReplied, Noticed
from agent.loop import ResumeState
from controlplane.benchmark import TrialHead, TrialScore
from controlplane.journal import run_events
from controlplane.journal.journal_content import TrialRecord
from controlplane.journal.journal_index import Chain, joined_event
from controlplane.journal.journal_lines import EncodedEvent, resolved
from controlplane.lifecycle.run_lifecycle import Record
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import RunControls
from controlplane.workers.channel import Assignment, Connection, Orders, Report, parsed


@dataclass(slots=True, eq=False)
class RunWorker:
    """The run's view of a worker process."""

    connection: Connection
    room: int
    """Number of further trials that it takes."""
    place: str = ""
    """Its address in its cluster."""
    loss: Callable[[str], str] = lambda fault: f"its worker was lost ({fault})"
    """Returns why its trials are lost, given the fault of its connection."""

    def tell(self, orders: Orders) -> None:
        """Send orders, unless the worker is gone."""
        with contextlib.suppress(OSError):
            self.connection.send(orders)


@dataclass(slots=True, eq=False)
class _Attempt:
    head: TrialHead
    over: Future[None]
    """Done when the trial is, after any number of attempts."""
    begins_with: ResumeState
    number: int = 1
    worker: RunWorker | None = None
    is_ended: bool = False
    """The trial's last event is written: even if the worker is lost, the trial does not begin again."""
    events: list[EncodedEvent] = field(default_factory=list)
    """The attempt's events so far, if another attempt may continue it."""

    @property
    def name(self) -> str:
        return f"{self.number}:{self.head.trial_id}"

    def next(self) -> _Attempt:
        """Return the attempt that continues where this attempt stopped."""
        state = self.begins_with
        record, chain = TrialRecord(opening=state.opening, steps=list(state.steps), answer=state.answer), Chain()
        texts: dict[str, str] = {}
        record.replies.update(state.replies)
        record.answers.update({step: list(answers) for step, answers in state.answers.items()})
        if state.pending is not None:  # The chain and the record share the unfinished step.
            chain.open_steps[self.head.trial_id] = record.open_step = state.pending
        for event in self.events:
            texts.update(event.texts)
            record.take(joined_event(resolved(parsed(event.body), texts), chain))
        reached = record.resume_state()
        state = replace(reached, now=reached.now or state.now, origin=reached.origin or state.origin)
        return _Attempt(self.head, self.over, state, self.number + 1)


class Dispatcher:
    """The workers of one run, each attended by a thread (`attend`) until it is gone."""

    def __init__(
        self,
        resources: RunResources,
        emit: Record,
        controls: RunControls,
        *,
        most_losses: int,
        on_close: Callable[[], None],
    ) -> None:
        """`most_losses` is the number of workers that a trial may lose before it is left open; `on_close` waits for the
        workers' end after they have been told that the run is over."""
        self._resources, self._emit, self._controls = resources, emit, controls
        self._most_losses, self._on_close = most_losses, on_close
        self._changed = threading.Condition()
        self._workers: list[RunWorker] = []
        self._waiting: deque[_Attempt] = deque()
        self._running: dict[str, _Attempt] = {}
        self._room = resources.spec.settings.concurrency
        """Number of further trials that the run works on at the same time."""
        self._failure: Exception | None = None
        """The error that ends the whole run."""
        self.is_begun = False
        """A trial was submitted."""
        self.is_over = False
        self._news: SimpleQueue[bool] = SimpleQueue()
        """True for each time that all workers need new orders, False at the end."""
        self._teller = threading.Thread(target=self._tell_all, name="orders", daemon=True)
        self._teller.start()
        resources.context.stop.listen(lambda is_set: self.tell_all())

    @property
    def places(self) -> list[str]:
        with self._changed:
            return [worker.place for worker in self._workers]

    def submit(self, head: TrialHead, resume_state: ResumeState) -> Future[None]:
        """Have the trial run at the worker with the most room, as soon as one has room."""
        self.is_begun = True
        over = Future[None]()
        with self._changed:
            self._waiting.append(_Attempt(head, over, resume_state))
        self._hand_out()
        return over

    def close(self) -> None:
        """Tell the workers that the run is over, and wait for their end."""
        self.is_over = True
        self.tell_all()
        self._news.put(False)
        self._teller.join()
        self._on_close()

    def wait_for_leaving(self, within_s: float) -> None:
        """Wait until the workers are gone, then end the remaining connections."""
        with self._changed:
            self._changed.wait_for(lambda: not self._workers, within_s)
            left = list(self._workers)
        for worker in left:
            worker.connection.close()

    def tell_all(self) -> None:
        """Have orders sent to all workers. Safe in a signal handler: takes no lock."""
        self._news.put(True)

    def _tell_all(self) -> None:
        budget = self._resources.budget
        while self._news.get():
            orders = Orders(
                stop=self.is_over or self._controls.stop.is_set(),
                is_over=self.is_over,
                pause_s=budget.retries.paused_s(),
                used_up=budget.spending.used_up,
            )
            with self._changed:
                workers = list(self._workers)
            for worker in workers:
                worker.tell(orders)
            self._hand_out()

    def attend(self, worker: RunWorker) -> None:
        """Give a worker trials and take its reports until it is gone."""
        try:
            report, lines = worker.connection.receive(Report)  # The first report says that the worker is ready.
            with self._changed:
                self._workers.append(worker)
            worker.tell(Orders(is_over=True, stop=True)) if self.is_over else self.tell_all()
            while True:
                with self._changed:
                    worker.room += len(report.over)
                    self._room += len(report.over)
                if report.over:
                    # Before writing, which waits for the disk: with a trial left, the worker need not wait.
                    self._hand_out()
                self._take(worker, report, lines)
                report, lines = worker.connection.receive(Report)
        except (OSError, ValueError, TypeError, KeyError) as error:
            worker.connection.close()
            self._lose(worker, str(error))

    def _hand_out(self) -> None:
        """Give waiting trials to workers with room. In a run that stops or fails, no trial begins or continues."""
        given: list[tuple[RunWorker, _Attempt]] = []
        left: list[_Attempt] = []
        with self._changed:
            while self._waiting:
                worker = max(self._workers, key=lambda worker: worker.room, default=None)
                is_stopped = self._controls.stop.is_set() or self._failure is not None
                if not is_stopped and (worker is None or worker.room <= 0 or self._room <= 0):
                    break
                attempt = self._waiting.popleft()
                has_begun = attempt.over.running()
                if not has_begun and self._failure is None and (is_stopped or self._controls.no_new.is_set()):
                    continue  # The fan-out cancels it.
                if not (has_begun or attempt.over.set_running_or_notify_cancel()):
                    continue
                if is_stopped or worker is None:
                    left.append(attempt)
                    continue
                self._running[attempt.name], attempt.worker = attempt, worker
                worker.room -= 1
                self._room -= 1
                given.append((worker, attempt))
        for worker, attempt in given:
            assignment = Assignment(attempt=attempt.name, head=attempt.head, resume_state=attempt.begins_with)
            worker.tell(Orders(trials=(assignment,)))
        for attempt in left:
            self._leave_open(attempt, "its worker was lost, and the run stopped before it went on")

    def _take(self, worker: RunWorker, report: Report, lines: Sequence[bytes]) -> None:
        """Write a worker's report to the journal, and answer it. Raises an error for a wrong report."""
        retries = self._resources.budget.retries
        for (name, texts, noted), line in zip(report.events, lines, strict=True):
            told = None if noted is None else run_events.JOURNAL_EVENT.validate_python(noted)
            event, attempt = EncodedEvent(line, texts, told), self._attempt_of(worker, name) if name else None
            self.write(event)
            if isinstance(told, ModelReplied):
                retries.give_back()
            if attempt is not None:
                ends = isinstance(told, run_events.TrialEnded | run_events.TrialFailed | run_events.TrialLeftOpen)
                attempt.is_ended = attempt.is_ended or ends
                if self._most_losses > 1:
                    attempt.events.append(event)
        for name, failure in report.over:
            attempt = self._attempt_of(worker, name)
            with self._changed:
                del self._running[name]
            self._finish(attempt, failure.error() if failure else None)
        if report.pause_s:
            retries.pause(report.pause_s)
            self.tell_all()
        if report.failure is not None:
            self._controls.pause(report.failure.error())
        if report.wants_answer and self._failure is None:
            granted = sum(retries.take() for _ in range(report.retries_asked))
            worker.tell(Orders(written=report.number, retries_granted=granted))

    def _attempt_of(self, worker: RunWorker, name: str) -> _Attempt:
        attempt = self._running[name]
        if attempt.worker is not worker:
            msg = f"{name} is another worker's"
            raise ValueError(msg)
        return attempt

    def write(self, event: EncodedEvent | run_events.JournalEvent) -> None:
        """Write an event to the journal, unless writing has failed."""
        if self._failure is not None:
            return
        try:
            self._emit(event)
        except Exception as error:  # noqa: BLE001 - any error: a thread that ended would leave the run waiting
            with self._changed:
                self._failure = error
                running = list(self._running.values())
            for attempt in running:
                self._finish(attempt)
            self._hand_out()
            return
        told = event.noted if isinstance(event, EncodedEvent) else event
        if isinstance(told, run_events.Scored) and (ended_elsewhere := self._resources.opened.ended_elsewhere):
            ended_elsewhere(TrialScore(told.trial_id, told.score, told.details))

    def _lose(self, worker: RunWorker, fault: str) -> None:
        """Continue the trials of a lost worker at others, or leave them open."""
        with self._changed:
            if worker not in self._workers:
                return
            self._workers.remove(worker)
            lost = [attempt for attempt in self._running.values() if attempt.worker is worker]
            for attempt in lost:
                del self._running[attempt.name]
            self._room += len(lost)
            self._changed.notify_all()
        why = worker.loss(fault) if lost else ""
        for attempt in lost:
            if attempt.is_ended:
                self._finish(attempt)
            elif attempt.number >= self._most_losses or self._controls.stop.is_set():
                self._leave_open(attempt, why)
            else:
                self.write(Noticed(trial_id=attempt.head.trial_id, text=f"{why}; it goes on at another"))
                with self._changed:
                    self._waiting.appendleft(attempt.next())
        self._hand_out()

    def _leave_open(self, attempt: _Attempt, why: str) -> None:
        self.write(run_events.TrialLeftOpen(trial_id=attempt.head.trial_id, reason=why))
        self._finish(attempt)

    def _finish(self, attempt: _Attempt, error: Exception | None = None) -> None:
        """Note that a trial is over, or the error that ends the whole run; the first note counts."""
        error = error or self._failure
        with contextlib.suppress(InvalidStateError):
            attempt.over.set_result(None) if error is None else attempt.over.set_exception(error)
