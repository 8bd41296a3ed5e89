"""Unary calls of the Connect protocol with JSON bodies, retried according to their policies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from typing import Final, Generic, Self, TypeVar

from controlplane.agent.retry.retry_policy import (
    FailedAttempt,
    call_with_retry,
    named_pause_s,
)
from controlplane.benchmarks.bitgn.client.call_policy import (
    Attempts,
    CallPolicy,
    counted_pause_s,
)
from controlplane.benchmarks.bitgn.client.http_exchange import (
    BROKEN_CONNECTION,
    HttpReply,
    ReplyTooLong,
    error_without_reply,
)
from controlplane.benchmarks.bitgn.client.platform_client import Service
from controlplane.benchmarks.bitgn.client.wire_errors import Message, WireError
from controlplane.benchmarks.bitgn.client.wire_replies import message_of
from controlplane.sandbox.interface import Plain, bounds, error_codes

Result = TypeVar("Result")

HEADERS: Final = {
    "user-agent": "grounded-control-plane",
    "content-type": "application/json",
    "connect-protocol-version": "1",
}
CLOSED: Final = "the client was closed"
ENDED: Final = "its trial has ended"


class Call(Generic[Result]):
    """One call of the platform.

    `finish` makes the call and returns its result.
    `begin` may start it earlier in another thread.
    """

    def __init__(
        self,
        service: Service,
        method: str,
        message: Mapping[str, Plain],
        policy: CallPolicy,
        parse_reply: Callable[[Message], Result],
        before_repeat: Callable[[], Message | None] | None = None,
    ) -> None:
        """Set up the call, without making it.

        Args:
            service: Where the requests go.
            method: The method of the service, such as `StartRun`.
            message: The request.
            policy: How often the call is retried.
            parse_reply: Returns the result in a reply. Raises `WireError` if the reply
                is malformed.
            before_repeat: Finds out, after a lost reply, whether the call took effect.
                Returns that reply if it did, or None to repeat the call.
        """
        self.method = method
        self.service = service
        self._client = service.client
        self._message = message
        self._policy = policy
        self._parse_reply = parse_reply
        self._before_repeat = before_repeat
        self._attempts = Attempts(policy)
        self._first_exchange: Future[Message] | None = None
        """The first attempt, from `begin` until `finish` takes its result."""

    def begin(self) -> Self:
        """Start the first attempt in another thread. Raises `WireError`."""
        try:
            self._first_exchange = self._client.parallel_calls.submit(self._exchange)
        except RuntimeError:
            raise self._given_up(CLOSED) from None
        return self

    def finish(self) -> Result:
        """Make the call, with retries, and return its result.

        Raises `WireError` if it is refused, or if its policy allows no more attempts.
        """
        try:
            return call_with_retry(
                self._attempt,
                self._policy.pauses,
                is_transient=self._may_repeat,
                pause=self._pause,
                asked_pause_s=counted_pause_s,
                excluded_s=lambda: self._attempts.pauses_s,
            )
        except WireError as error:
            error.in_doubt = error.in_doubt or self._attempts.is_in_doubt
            error.message = self._client.without_secrets(error.message)
            raise

    def _attempt(self) -> Result:
        """Make one attempt and return its result. Raises `WireError`.

        If it turns out that an earlier attempt took
        effect, return the result of that attempt.
        """
        attempts = self._attempts
        if attempts.is_in_doubt and self._before_repeat is not None:
            lost_reply = self._before_repeat()
            if lost_reply is not None:
                return self._parse_reply(lost_reply)
            attempts.is_in_doubt = False

        attempts.count += 1
        try:
            return self._parse_reply(self._reply())
        except CancelledError:
            raise self._given_up(CLOSED) from None
        except WireError as error:
            if attempts.show_success(error):
                return self._parse_reply({})  # The lost reply was empty, too.
            attempts.fail(error)
            raise

    def _reply(self) -> Message:
        """Return the reply to the attempt started by `begin`, or to a new one.

        Raises `WireError`.
        """
        if self._first_exchange is None:
            return self._exchange()
        first_exchange = self._first_exchange
        self._first_exchange = None  # The next attempt sends a new request.
        return first_exchange.result()

    def _exchange(self) -> Message:
        """Send the request and return the message of its reply. Raises `WireError`."""
        if self.service.is_closed:
            raise self._given_up(ENDED)
        try:
            reply = self._post()
        except (
            OSError,
            RuntimeError,
            ValueError,
            ReplyTooLong,
            *BROKEN_CONNECTION,
        ) as error:
            host = self.service.base_url
            raise error_without_reply(
                self.method, error, host, self._policy.deadline_s
            ) from None
        return message_of(self.method, reply, self._client.secrets)

    def _post(self) -> HttpReply:
        """Send the request. Raises the errors of `HttpExchange.post`."""
        deadline_s = self._policy.deadline_s
        deadline_ms = max(1, int(deadline_s * 1000))
        headers = {**HEADERS, "connect-timeout-ms": str(deadline_ms)}
        url = f"{self.service.url}/{self.method}"
        body = json.dumps(self._message, separators=(",", ":")).encode()
        return self._client.post(url, headers, body, deadline_s)

    def _given_up(self, reason: str) -> WireError:
        msg = f"{self.method} was given up: {reason}"
        in_doubt = self._attempts.is_in_doubt
        return WireError(error_codes.CANCELED, msg, in_doubt=in_doubt, transient=False)

    def _may_repeat(self, error: Exception) -> bool:
        """Return True if the call may be repeated after this error."""
        if not isinstance(error, WireError) or self._client.is_stopping:
            return False
        return self._attempts.allow_another(error)

    def _pause(self, failed: FailedAttempt) -> bool:
        """Wait before the next attempt. Return True if the client stops waiting.

        The pause is the one that the server requested,
        or else the random one of the retry policy.
        """
        requested_s = named_pause_s(failed.error)
        self._tell_of_long_pause(failed.error, requested_s)
        if requested_s is None:
            return self._client.wait(failed.pause_s)
        self._attempts.pauses_s += requested_s
        return self._client.wait(requested_s)

    def _tell_of_long_pause(self, error: Exception, requested_s: float | None) -> None:
        """Tell the user about a long pause, or about a call that has been failing for long."""
        failing_s = self._attempts.failing_s
        if requested_s is not None and requested_s >= bounds.NOTICE_AFTER_S:
            self._client.notice(
                f"the platform asks to wait {requested_s:.0f} s with {self.method}"
            )
        elif failing_s >= bounds.NOTICE_AFTER_S:
            self._client.notice(
                f"{self.method} has been failing for {failing_s:.0f} s "
                f"and is retried for {self._policy.retry_s:g} s: {error}"
            )
