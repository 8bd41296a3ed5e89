"""The inbox of a run whose trials play on other machines: messages that workers send.

Workers put messages into a queue. The process of the run takes them out, and writes the event in
each to the journal:

    Message("trial1", RunNotice(text="a worker waits"))   ->   a notice in the journal
"""

import pickle
from threading import Event
from typing import Any

import pytest

from controlplane.journal.run_events import RunNotice
from controlplane.lifecycle.run_controls import RunControls
from tests.support.run_budgets import ample_budget


class BreakingQueue:
    """A queue from which one message can be taken, before the connection to it breaks.

    The inbox calls it in turn:

    1. `get(timeout=...)` waits for one message, and returns it.
    2. `get(batch=True)` returns all that have come meanwhile. Here it breaks.
    """

    def __init__(self, message: Any) -> None:
        self.message = message
        self.is_broken = Event()

    def get(self, timeout: float = 0.0, *, batch: bool = False) -> bytes:
        if not batch:
            return pickle.dumps(self.message)
        self.is_broken.set()
        msg = "the connection is closed"
        raise OSError(msg)


def test_a_message_that_came_before_the_connection_broke_is_written() -> None:
    """The inbox takes one message and asks for more; then the connection breaks. It must not
    lose the first one.

    `take_messages` returns when its event `is_over` is set, which the queue does when it breaks.
    """
    pytest.importorskip("distributed")
    from controlplane.workers.dask_workers import (
        OF_WHOLE_RUN,
        RunInbox,
        WorkerMessage,
    )

    notice = RunNotice(text="a worker waits")
    queue: Any = BreakingQueue(WorkerMessage(OF_WHOLE_RUN, notice))
    # A client is only used to answer workers, and this message wants no answer.
    no_client: Any = None
    written_events: list[Any] = []
    inbox = RunInbox(
        no_client,
        queue,
        trials={},
        emit=written_events.append,
        controls=RunControls(),
        retries=ample_budget().retries,
        tell_score=None,
    )

    inbox.take_messages(is_over=queue.is_broken)

    assert written_events == [notice]
