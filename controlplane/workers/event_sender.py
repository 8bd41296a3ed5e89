"""Sends the events of a trial from a worker to the run's process, which writes the journal.

Before a trial changes something outside, such as a file on a server, its event has to
be in the journal: a resumed run then knows that the change may have been made. So the
sender waits for a confirmation of that event.
"""

from __future__ import annotations

from contextlib import suppress

from distributed import Queue, get_worker

from controlplane.agent.events import AnswerSent, CallEvent
from controlplane.journal.run_events import JournalEvent
from controlplane.sandbox.interface import bounds
from controlplane.workers.run_messages import Message, RunLost, put_message


class EventSender:
    """Sends the events of one trial, in the Dask task that plays the trial."""

    def __init__(
        self, run_key: str, task_key: str, *, waits_before_changes: bool
    ) -> None:
        self._run_key = run_key
        """The name of the queue of all messages to the run's process."""
        self._task_key = task_key
        """The name of the task, and of the queue through which
        the run's process confirms that an event is written."""
        self._waits_before_changes = waits_before_changes
        """True if the trial may change something only after the journal says so."""
        self._tasks_of_worker = get_worker().state.tasks
        """The tasks that Dask has given to this worker, by name, with their states."""

    def send_event(self, event: JournalEvent) -> None:
        """Send an event. If it announces a change, wait until it is in the journal.

        Raises `RunLost` if the run is over, or its process is gone.
        """
        must_wait = self._waits_before_changes and _announces_change(event)
        self._send(event, must_wait=must_wait)

    def send_end(self) -> None:
        """Tell the run's process that no event follows, and wait for its confirmation.

        Raises `RunLost`.
        """
        self._send(None, must_wait=True)

    def _send(self, content: JournalEvent | None, *, must_wait: bool) -> None:
        """Send an event, or None as the last message. Raises `RunLost`."""
        self._check_wanted()
        message = Message(self._task_key, content, is_awaited=must_wait)
        put_message(self._run_key, message)
        if must_wait:
            self._wait_for_confirmation()

    def _wait_for_confirmation(self) -> None:
        """Return as soon as the run's process has put something into the queue of this task."""
        is_confirmed = False
        while not is_confirmed:
            self._check_wanted()
            with suppress(TimeoutError):
                is_confirmed = Queue(self._task_key).get(timeout=bounds.WORKER_POLL_S)

    def _check_wanted(self) -> None:
        """Raise `RunLost` if Dask has cancelled this task.

        The worker's table of tasks then has lost it, or says that it is not running.
        """
        task = self._tasks_of_worker.get(self._task_key)
        if task is None or task.state != "executing":
            raise RunLost


def _announces_change(event: JournalEvent) -> bool:
    """Return True if the trial changes something as soon as this event is written.

    That is so before an answer is sent, and before a call that may change something.
    """
    if isinstance(event, AnswerSent):
        return True
    return isinstance(event, CallEvent) and event.is_announcement
