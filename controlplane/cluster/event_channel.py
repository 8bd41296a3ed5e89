"""The worker's end of the channel: events go to the writer of the journal in order, and nothing is done twice.

What may change something waits until the writer has the event that says so; other events are sent in batches. A lost
channel stops every trial here: another attempt goes on from the journal.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Final

from agent.events import AnswerSent, CallSent
from agent.retry import RetryBudget
from controlplane.cluster.framed_connection import FramedConnection
from controlplane.cluster.shipped_data import Answer, FailureParcel, Report, to_text
from controlplane.errors import ControlPlaneError
from controlplane.journal.chained_lines import encoded
from controlplane.journal.run_events import JournalEvent, TrialStarted
from controlplane.journal.step_lines import fields_to_write
from controlplane.journal.surface_json import surface_from_text
from sandbox.interface import Surface

LINGER_S: Final = 0.25
"""Seconds for which events that nobody waits for are gathered."""
IDLE_S: Final = 0.5
"""Seconds between two reports if nothing happens, and so until a stop is heard of."""
MOST_WAITING_CHARS: Final = 32_000_000
"""Characters of events that wait to be sent; a trial with more of them waits itself."""


class ChannelLost(ControlPlaneError):
    """The writer of the journal is not reached any more, or takes no more events of this attempt."""


class EventChannel:
    """The connection of this process to the writer of one run's journal. Used from many threads at once."""

    def __init__(self, connection: FramedConnection, on_answer: Callable[[Answer], None], *, retries: int) -> None:
        """`retries` is the bound of the run's budget of retries, `on_answer` is called with what the writer says."""
        self.retries = SharedRetries(self, retries)
        """The run's budget of retries, which the process of the run keeps."""
        self._connection = connection
        self._on_answer = on_answer
        self._changed = threading.Condition()
        self._waiting: list[str] = []
        self._waiting_chars = 0
        self._posted = self._written = 0
        self._is_urgent = False
        self._next = Report()
        self._granted = 0
        self._cut_off: set[str] = set()
        self._lost = ""

    def post(self, attempt: str, event: JournalEvent, *, waits: bool = False) -> None:
        """Send an event; with `waits` return once it is written. Raises `ChannelLost`."""
        fields = encoded(fields_to_write(event), lambda text: text)
        text = json.dumps([attempt, fields], separators=(",", ":"), check_circular=False)
        with self._changed:
            self._check(attempt)
            if not self._waiting:
                self._changed.notify_all()
            self._waiting.append(text)
            self._waiting_chars += len(text)
            self._posted += 1
            if waits or self._waiting_chars > MOST_WAITING_CHARS:
                self._await(attempt)

    def flush(self, attempt: str) -> None:
        """Return once every event of the attempt is written. Raises `ChannelLost`."""
        with self._changed:
            self._await(attempt)

    def fail(self, error: Exception) -> None:
        """Tell the run that every further trial would fail the same way."""
        self._add(failure=FailureParcel.of(error))

    def take_retry(self) -> bool:
        """Ask the run for one retry; return whether there was one left."""
        with self._changed:
            self._next = self._next.model_copy(update={"retries_asked": self._next.retries_asked + 1})
            self._posted += 1
            self._await("")
            self._granted -= 1
            return self._granted >= 0

    def count_reply(self) -> None:
        """Count one reply of the model."""
        with self._changed:
            self._next = self._next.model_copy(update={"replies": self._next.replies + 1})

    def pause_all(self, seconds: float) -> None:
        """Have every worker wait before it calls the model."""
        self._add(pause_s=max(seconds, self._next.pause_s))

    def _add(self, **fields: object) -> None:
        with self._changed:
            self._next = self._next.model_copy(update=fields)
            self._is_urgent = True
            self._changed.notify_all()

    def _await(self, attempt: str) -> None:
        mine = self._posted
        self._is_urgent = True
        self._changed.notify_all()
        while self._written < mine:
            self._check(attempt)
            self._changed.wait()
        self._check(attempt)

    def _check(self, attempt: str) -> None:
        if self._lost or attempt in self._cut_off:
            raise ChannelLost(self._lost or "another attempt has taken this one's place")

    def serve(self) -> str:
        """Report until the run is over or the channel is lost; return why."""
        try:
            while True:
                report, count = self._next_report()
                self._connection.send_bytes(report)
                answer = self._connection.receive(Answer)
                self._take(answer, count)
                if answer.is_over:
                    return self._end("the run is over")
        except OSError as error:
            return self._end(f"the channel to the run was lost ({error})")

    def _next_report(self) -> tuple[bytes, int]:
        with self._changed:
            if not (self._is_urgent or self._waiting):
                self._changed.wait(IDLE_S)
            if not self._is_urgent and self._waiting:
                self._changed.wait(LINGER_S)
            head = to_text(self._next)
            assert head.startswith('{"events":[]')
            text = '{"events":[' + ",".join(self._waiting) + head.removeprefix('{"events":[')
            count, self._waiting, self._waiting_chars = self._posted, [], 0
            self._next, self._is_urgent = Report(), False
            return text.encode("ascii"), count

    def _take(self, answer: Answer, count: int) -> None:
        if answer.pause_s:
            self.retries.pause_here(answer.pause_s)
        with self._changed:
            self._written = count
            self._granted = max(self._granted, 0) + answer.retries_granted
            self._cut_off.update(answer.cut_off)
            self._changed.notify_all()
        self._on_answer(answer)

    def _end(self, why: str) -> str:
        with self._changed:
            self._lost = why
            self._changed.notify_all()
        self._connection.close()
        return why


class SharedRetries(RetryBudget):
    """The run's budget of retries, as its workers see it."""

    def __init__(self, channel: EventChannel, bound: int) -> None:
        super().__init__(bound)
        self._channel = channel

    def take(self) -> bool:
        """Ask the run for one retry."""
        return self._channel.take_retry()

    def give_back(self) -> None:
        """Count one success for the run."""
        self._channel.count_reply()

    def pause(self, seconds: float) -> None:
        """Let nobody call for so long, at no worker."""
        self.pause_here(seconds)
        self._channel.pause_all(seconds)

    def pause_here(self, seconds: float) -> None:
        """Let nobody of this worker call for so long."""
        super().pause(seconds)


class AttemptEvents:
    """Takes the events of one attempt at a trial, and waits where something is about to change."""

    def __init__(self, channel: EventChannel, attempt: str) -> None:
        self._channel = channel
        self._attempt = attempt
        self._surface: Surface | None = None

    def __call__(self, event: JournalEvent) -> None:
        """Send `event`. Raises `ChannelLost`."""
        if isinstance(event, TrialStarted):
            self._surface = surface_from_text(event.surface)
        self._channel.post(self._attempt, event, waits=self._changes_something(event))

    def _changes_something(self, event: JournalEvent) -> bool:
        if isinstance(event, CallSent):
            return self._surface is None or self._surface.may_change(event.operation, event.arguments)
        return isinstance(event, AnswerSent)
