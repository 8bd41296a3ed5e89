"""The inbox of a run whose trials play on other machines: messages that workers send.

Workers put events into a queue, such as "a worker waits". The process of the run takes them out,
and writes them to the journal.
"""

import pickle
from threading import Event
from typing import Any

import pytest

from controlplane.journal.run_events import RunNotice
from controlplane.lifecycle.run_controls import RunControls


class QueueThatIsLost:
    """A queue with one message. The connection to it breaks as soon as the message is taken."""

    def __init__(self, message: Any) -> None:
        self.message = message
        self.is_lost = Event()

    def get(self, timeout: float = 0.0, *, batch: bool = False) -> bytes:
        """Return the one message; with `batch`, all that have come since: the connection breaks."""
        if batch:
            self.is_lost.set()
            msg = "the connection is closed"
            raise OSError(msg)
        return pickle.dumps(self.message)


def test_a_message_that_came_before_the_connection_broke_is_written() -> None:
    """The inbox takes one message and asks for more; then the connection breaks. It must not
    lose the first one."""
    pytest.importorskip("distributed")
    from controlplane.workers.remote_trials import RemoteTrials
    from controlplane.workers.run_inbox import RunInbox
    from controlplane.workers.run_messages import Message

    notice = RunNotice(text="a worker waits")
    queue: Any = QueueThatIsLost(Message("", notice))
    client: Any = None
    written_events: list[Any] = []
    inbox = RunInbox(
        client, queue, RemoteTrials(), written_events.append, RunControls(), None
    )

    inbox.take_messages(queue.is_lost)

    assert written_events == [notice]
