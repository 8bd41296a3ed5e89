"""A request that may be sent in another thread, before its reply is needed.

So a trial begins several reads at once and then waits for each. Only the first attempt
can be ahead of time; if it fails, the caller waits anyway, so the others are sent by it.
"""

from __future__ import annotations

from concurrent.futures import CancelledError, Future
from typing import Final

from controlplane.benchmarks.bitgn.client.calls.platform_request import PlatformRequest
from controlplane.benchmarks.bitgn.client.connection.wire_errors import Message

CLOSED: Final = "the client was closed"


class BegunRequest:
    """A request, and the reply to its first attempt if that has begun."""

    def __init__(self, request: PlatformRequest, deadline_s: float) -> None:
        """Take a request. Each attempt may take `deadline_s` seconds."""
        self.request = request
        self._deadline_s = deadline_s
        self._first_reply: Future[Message] | None = None
        """The reply to the first attempt, from `begin` until `reply` takes it."""

    def begin(self) -> None:
        """Start the first attempt in another thread. Raises `WireError` if the client is closed."""
        threads = self.request.service.client.parallel_calls
        try:
            self._first_reply = threads.submit(self.request.send, self._deadline_s)
        except RuntimeError:  # The threads were shut down.
            raise self.request.given_up(CLOSED) from None

    def reply(self) -> Message:
        """Return the reply to the attempt that `begin` started, or else to a new one.

        Raises `WireError`.
        """
        if self._first_reply is None:
            return self.request.send(self._deadline_s)
        first_reply = self._first_reply
        self._first_reply = None  # The next attempt sends a new request.
        try:
            return first_reply.result()
        except CancelledError:
            raise self.request.given_up(CLOSED) from None
