"""The messages of workers that the process of a run takes."""

import pickle
from threading import Event
from typing import Any

import pytest

from controlplane.journal.run_events import RunNotice
from controlplane.lifecycle.run_controls import RunControls


class LostQueue:
    """A queue with one message, whose connection is lost when the message is read."""

    def __init__(self, message: Any) -> None:
        self.message = message
        self.is_lost = Event()

    def get(self, timeout: float = 0.0, *, batch: bool = False) -> bytes:
        if batch:
            self.is_lost.set()
            msg = "the connection is closed"
            raise OSError(msg)
        return pickle.dumps(self.message)


def test_a_message_before_the_connection_is_lost_is_written() -> None:
    pytest.importorskip("distributed")
    from controlplane.workers.remote_trials import RemoteTrials
    from controlplane.workers.run_inbox import RunInbox
    from controlplane.workers.run_messages import Message

    notice = RunNotice(text="a worker waits")
    queue: Any = LostQueue(Message("", notice))
    client: Any = None
    written: list[Any] = []
    inbox = RunInbox(client, queue, RemoteTrials(), written.append, RunControls(), None)

    inbox.take_messages(queue.is_lost)

    assert written == [notice]
