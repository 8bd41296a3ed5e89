"""The calls of a client that wait for their turn in a trial.

The client's thread adds a call and waits for its result. The trial's thread takes the
calls one after the other, runs their scripts, and sets the results.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Final

from controlplane.agent.evidence import ApproveCall

# A client's call of a tool, and its result.


@dataclass(frozen=True, slots=True)
class ClientCall:
    """A call of a tool by a client."""

    tool: str
    arguments: Mapping[str, Any]
    session: str | None
    """The client's session; None if the protocol names none."""
    approve: ApproveCall | None = None
    """Asks the client's user, in a form, whether to make a call of a script that is held back.

    None if the client cannot show forms (the protocol's elicitation).
    """


@dataclass(frozen=True, slots=True)
class CallResult:
    """The reply to a client's call."""

    text: str
    failed: bool = False
    question_id: str = ""
    """The question that the call belongs to; empty if the server serves a single trial."""


def session_of(request: Any) -> str | None:
    """Return the name of a client's session.

    Over HTTP it is the session's id in the headers of `request`, or None if the client
    sends no id. Over standard input there is no request, and the name is `stdio`, since
    only one client is at the other end.
    """
    if request is None:
        return "stdio"
    session: str | None = request.headers.get("mcp-session-id")
    return session


OVER: Final = "This trial is over: its answer was accepted, or its time is up."


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call with its script and the future of its result."""

    call: ClientCall
    script: str
    result: Future[CallResult] = field(default_factory=Future)

    def begin(self) -> bool:
        """Mark the call as begun. Return False if its client has cancelled it, so it must not run."""
        return self.result.set_running_or_notify_cancel()

    def end(self, text: str, *, failed: bool) -> None:
        """Set the result of a call that has begun."""
        self.result.set_result(CallResult(text, failed))


class CallQueue:
    """The calls of a trial whose scripts have not begun.

    Any thread may add a call. Only the trial's thread takes calls, and refuses the rest at its end.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[WaitingCall] = SimpleQueue()
        self._is_closed = False
        self._lock = threading.Lock()
        """Held while a call is added and while the queue is closed.

        So no call is added after `refuse_all`, where it would wait forever.
        """

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    @property
    def is_empty(self) -> bool:
        return self._calls.empty()

    def add(self, waiting: WaitingCall) -> bool:
        """Add a call. Return False if the queue is closed."""
        with self._lock:
            if self._is_closed:
                return False
            self._calls.put(waiting)
            return True

    def take(self, wait_s: float) -> WaitingCall | None:
        """Return the next call, which begins; None if none comes within `wait_s` seconds.

        The result is also None if the client has cancelled the next call.
        """
        try:
            waiting = self._calls.get(timeout=wait_s)
        except Empty:
            return None
        return waiting if waiting.begin() else None

    def close(self) -> None:
        """Accept no more calls."""
        with self._lock:
            self._is_closed = True

    def refuse_all(self) -> None:
        """Accept no more calls, and end those that wait."""
        self.close()
        while not self._calls.empty():
            waiting = self._calls.get()
            if waiting.begin():
                waiting.end(OVER, failed=True)
