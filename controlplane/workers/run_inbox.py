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
    """Handles the messages that workers send.

    A message carries one of three things, with the key of its trial unless it is about the
    whole run:

    - an event, which is written to the journal;
    - an error that would fail every other trial, too, and pauses the run;
    - nothing: the last message of a trial, by which it asks whether all before it is written.

    A trial that waits for its message (`is_awaited`) is told through a queue of its own.
    """

    client: Client
    """The connection to the cluster's scheduler."""
    queue: Queue
    """The queue of the messages of all workers."""
    trials: RemoteTrials
    """The trials that workers are playing."""
    emit: Emit
    """Writes an event to the journal."""
    controls: RunControls
    tell_score: Callable[[TrialScore], None] | None
    """Tells the benchmark in this process the score of a trial. None: it needs no scores."""

    def take_messages(self, is_over: threading.Event) -> None:
        """Take messages until the run is over."""
        while not is_over.is_set():
            for message in self._received_messages():
                self._handle(message)

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

    def _handle(self, message: Message) -> None:
        """Handle one message, of a trial or of the whole run."""
        content = message.content
        if isinstance(content, Exception):
            self.controls.pause(content)
            return
        if not message.trial_key:
            if content is not None:
                self.emit(content)
            return

        trial = self.trials.at(message.trial_key)
        if trial is None:  # It was given up, because its worker was taken for lost.
            return
        if content is not None:
            self._write_event(trial, content)
        # After a failure to write, a trial that waits is not told, so that it does not go on.
        # It waits until its task is cancelled, since the run ends.
        if message.is_awaited and not trial.failure:
            self._confirm(message.trial_key)

    def _confirm(self, trial_key: str) -> None:
        """Tell the trial that waits for it that all its events so far are in the journal."""
        with suppress(*LOST_CONNECTION):
            Queue(trial_key, client=self.client).put(True)

    def _write_event(self, trial: RemoteTrial, event: JournalEvent) -> None:
        """Write an event of a trial to the journal. Tell the benchmark here if it is a score.

        An error is kept in `trial.failure`. The thread that waits for the trial raises it.
        """
        try:
            self.emit(event)
            trial.last_event = event
            # The worker has a benchmark of its own, which has graded the trial. The
            # benchmark in this process needs the score, too, for the score of the run.
            if isinstance(event, Scored) and self.tell_score is not None:
                score = TrialScore(
                    event.trial_id,
                    event.score,
                    event.details,
                    event.metrics,
                    event.unscored,
                )
                self.tell_score(score)
        except Exception as error:  # noqa: BLE001 - the trial's thread raises it
            trial.failure = error
