"""Takes the messages that the workers of a cluster send to the run's process.

Only this process writes the journal, so workers send every event of a trial here. Before
a change, a trial waits until its event is written; it is told through a queue of its own.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from distributed import Client, Queue

from controlplane.benchmark import TrialScore
from controlplane.journal.run_events import JournalEvent, Scored
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.sandbox.interface import bounds
from controlplane.workers.remote_trials import RemoteTrial, RemoteTrials
from controlplane.workers.run_messages import LOST_CONNECTION, Message


@dataclass(frozen=True, slots=True)
class RunInbox:
    """Writes the events that workers send, and pauses the run for errors that they send."""

    client: Client
    queue: Queue
    """The queue of the messages of all workers."""
    trials: RemoteTrials
    emit: Emit
    """Writes an event to the journal."""
    controls: RunControls
    tell_score: Callable[[TrialScore], None] | None
    """Tells the benchmark in this process the score of a trial. None: it needs no scores."""

    def take_messages(self, is_over: threading.Event) -> None:
        """Take messages until the run is over."""
        while not is_over.is_set():
            for message in self._received_messages():
                self._take(message)

    def _received_messages(self) -> list[Message]:
        """Wait a short time for a message. Return it with all others that have arrived."""
        try:
            received = [self.queue.get(timeout=bounds.WORKER_POLL_S)]
        except LOST_CONNECTION:
            # There is no message (`TimeoutError` is an `OSError`), or no connection now.
            return []
        # If the connection is lost now, the first message still counts.
        with suppress(*LOST_CONNECTION):
            received += self.queue.get(batch=True)
        return [pickle.loads(pickled) for pickled in received]

    def _take(self, message: Message) -> None:
        """Handle a message: an error pauses the run, and an event is written.

        The last message of a trial has neither.
        """
        content = message.content
        if isinstance(content, Exception):
            self.controls.pause(content)
        elif message.trial_key:
            self._take_from_trial(message.trial_key, content, message.is_awaited)
        elif content is not None:
            self.emit(content)

    def _take_from_trial(
        self, key: str, event: JournalEvent | None, is_awaited: bool
    ) -> None:
        """Write an event of a trial, if there is one, and tell the trial if it waits for that."""
        trial = self.trials.at(key)
        if trial is None:  # It was given up, because its worker was taken for lost.
            return
        if event is not None:
            self._take_event(trial, event)
        # Tell a trial that waits that its event is written. If writing failed, it must not
        # go on. It then waits until its task is cancelled, since the run ends.
        if is_awaited and not trial.failure:
            with suppress(*LOST_CONNECTION):
                Queue(key, client=self.client).put(True)

    def _take_event(self, trial: RemoteTrial, event: JournalEvent) -> None:
        """Write an event of a trial. If it is a score, pass it on to the benchmark.

        An error is kept in `trial.failure`. The thread that waits for the trial raises it.
        """
        try:
            self.emit(event)
            trial.last_event = event
            # The worker has a benchmark of its own, which has graded the trial. The
            # benchmark in this process needs the score, too, for the score of the run.
            if isinstance(event, Scored) and self.tell_score is not None:
                score = TrialScore(event.trial_id, event.score, event.details)
                self.tell_score(score)
        except Exception as error:  # noqa: BLE001 - the trial's thread raises it
            trial.failure = error
