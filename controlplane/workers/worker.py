"""The loop of a worker process: works on the trials that a run hands out, and reports their events to the run.

Only the run writes the journal. An event that precedes a change beyond this process is written before the change is
made, so that nothing is done twice; other events are reported together.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from agent.events import AnswerSent, CallSent, build_models
from agent.retry import RetryBudget
from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_lines import encode_event
from controlplane.journal.run_events import JournalEvent, RunNotice, TrialStarted, surface_from_text
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import RunControls, run_trial
from controlplane.workers.channel import Assignment, Connection, Failure, Orders, Report, ToldEvent

GATHERED_S: Final = 0.02
"""Seconds for which events gather before a report, unless one is urgent: a message wakes two processes."""
HEARTBEAT_S: Final = 5.0
"""Seconds after which a worker without news reports, so that the run does not count it as lost."""
LEAVE_S: Final = 60.0
"""Seconds that trials have for ending once the run is lost."""
MOST_WAITING: Final = 1000
"""Most events waiting for a report; beyond that, trials wait."""


class RunLost(ControlPlaneError):
    """The run is over, or can no longer be reached."""


class Worker:
    """This process as a worker of a run. Used by the threads of its trials at the same time."""

    def __init__(self, connection: Connection, *, on_lost: Callable[[], None]) -> None:
        """`on_lost` is called if the run is gone before it is over."""
        build_models()
        self._connection = connection
        self._on_lost = on_lost
        self._changed = threading.Condition()
        self._running = 0
        self._is_over = False
        self._lost = ""
        self._posted = self._written = 0
        self._granted = 0
        self._next = Report(number=0)
        """The next report's fields, without its events."""
        self._events: list[ToldEvent] = []
        self._lines: list[bytes] = []
        self._is_urgent = True  # The first report says that this worker is ready.

    def serve(self, resources: RunResources) -> None:
        """Work on trials until the run is over or lost and no trial is running."""
        self._resources = resources
        resources.on_notice = lambda text: self._post("", RunNotice(text=text))
        self._controls = RunControls(
            stop=resources.context.stop, pause=lambda error: self.tell(failure=Failure.of(error))
        )
        threading.Thread(target=self._listen, name="run", daemon=True).start()
        try:
            while self._report():
                pass
        except OSError as error:
            self._lose(error)
        with self._changed:
            self._changed.wait_for(lambda: not self._running, LEAVE_S)
        self._connection.close()

    def _listen(self) -> None:
        try:
            while True:
                self._heed(self._connection.receive(Orders)[0])
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        with self._changed:
            is_end = self._is_over and not self._running
            self._lost = self._lost or f"the run was lost ({error})"
            self._changed.notify_all()
        if not is_end:
            self._on_lost()
            self._controls.stop.set()

    def _heed(self, orders: Orders) -> None:
        retries, stop = self._resources.budget.retries, self._controls.stop
        if orders.used_up:
            self._resources.budget.spending.close(orders.used_up)
        if orders.pause_s:
            RetryBudget.pause(retries, orders.pause_s)  # only at this worker
        if orders.stop is not None and orders.stop != stop.is_set():
            stop.set() if orders.stop else stop.clear()
        with self._changed:
            self._written = max(self._written, orders.written)
            self._granted = max(self._granted, 0) + orders.retries_granted
            self._is_over = self._is_over or orders.is_over
            self._is_urgent = self._is_urgent or orders.is_over
            self._running += len(orders.trials)
            self._changed.notify_all()
        for assignment in orders.trials:
            threading.Thread(target=self._work, args=(assignment,), name=assignment.head.trial_id, daemon=True).start()

    def _work(self, assignment: Assignment) -> None:
        may_repeat = self._resources.opened.rebuilds_trials  # Its changes stay inside this process.
        surface, failure = None, None

        def emit(event: JournalEvent) -> None:
            nonlocal surface
            if isinstance(event, TrialStarted) and not may_repeat:
                surface = surface_from_text(event.surface)
            may_change = isinstance(event, AnswerSent) or (
                isinstance(event, CallSent)
                and (surface is None or surface.may_change(event.operation, event.arguments))
            )
            self._post(assignment.attempt, event, waits=may_change and not may_repeat)

        try:
            run_trial(self._resources, assignment.head, emit, self._controls, assignment.resume_state)
        except RunLost:
            pass
        except BaseException as error:  # noqa: BLE001 - any error: the run waits to hear that this attempt is over
            failure = Failure.of(error)
        with self._changed:
            self._running -= 1
            self.tell(over=(*self._next.over, (assignment.attempt, failure)))

    def _post(self, attempt: str, event: JournalEvent, *, waits: bool = False) -> None:
        """Report an event; with `waits`, return once it is written. Raises `RunLost`."""
        encoded = encode_event(event, noted=RunSummary.noted(event))
        with self._changed:
            self._changed.wait_for(lambda: len(self._events) < MOST_WAITING or self._lost)
            if self._lost:
                raise RunLost(self._lost)
            self._events.append((attempt, dict(encoded.texts), encoded.noted))
            self._lines.append(encoded.body)
            self._posted += 1
            if waits:
                self.wait_until_written()
            elif len(self._events) == 1:
                self._changed.notify_all()

    def tell(self, **fields: object) -> None:
        """Set fields of the next report, and send it at once."""
        with self._changed:
            self._next = self._next.model_copy(update=fields)
            self._is_urgent = True
            self._changed.notify_all()

    def wait_until_written(self) -> None:
        """Wait until the run has written everything posted so far. Raises `RunLost`."""
        with self._changed:
            mine = self._posted
            self.tell(wants_answer=True)
            self._changed.wait_for(lambda: self._written >= mine or self._lost or self._is_over)
            if self._written < mine:
                raise RunLost(self._lost or "the run is over")

    def take_retry(self) -> bool:
        """Ask the run for one retry; return whether one was left. Raises `RunLost`."""
        with self._changed:
            self._posted += 1
            self.tell(retries_asked=self._next.retries_asked + 1)
            self.wait_until_written()
            self._granted -= 1
            return self._granted >= 0

    def _report(self) -> bool:
        """Send the gathered events in one message, which is faster than many; return whether to go on."""
        heartbeat_s = None if self._connection.silence_s is None else HEARTBEAT_S
        with self._changed:
            if self._changed.wait_for(lambda: self._events or self._is_urgent or self._lost, heartbeat_s):
                self._changed.wait_for(lambda: self._is_urgent or self._lost, GATHERED_S)
            if self._lost:
                return False
            is_last = self._is_over and not self._running
            report = self._next.model_copy(update={"number": self._posted, "events": self._events})
            lines, self._lines, self._events = self._lines, [], []
            self._next, self._is_urgent = Report(number=0), False
            self._changed.notify_all()
        self._connection.send(report, lines)
        return not is_last


class SharedRetries(RetryBudget):
    """The run's retry budget, as a worker sees it. The run's process keeps it, and restores one for each reply."""

    def __init__(self, worker: Worker, bound: int) -> None:
        super().__init__(bound)
        self._worker = worker

    def take(self) -> bool:
        return self._worker.take_retry()

    def pause(self, seconds: float) -> None:
        """Delay every worker's calls for this long."""
        super().pause(seconds)
        self._worker.tell(pause_s=seconds)
