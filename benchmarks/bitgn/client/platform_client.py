"""Unary calls of the Connect protocol with JSON bodies. Each is retried according to its policy.

If the reply to a call is lost, it is unknown whether the platform has carried out the call: the
call is in doubt. It is repeated only if doing so is harmless.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Generic, Self, TypeVar

from controlplane.agent.retry import FailedAttempt, RetryPolicy, call_with_retry, named_pause_s
from controlplane.benchmarks.bitgn.client.http_exchange import (
    BROKEN_CONNECTION,
    HttpExchange,
    HttpReply,
    ReplyTooLong,
    error_without_reply,
)
from controlplane.benchmarks.bitgn.client.wire_errors import ALREADY_CODES, Message, WireError
from controlplane.benchmarks.bitgn.client.wire_replies import message_of
from controlplane.sandbox.interface import Plain, bounds, error_codes

Result = TypeVar("Result")

SHORTEST_SECRET: Final = 6
"""A shorter key is a placeholder. Removing it from texts would damage them."""
UNLIMITED: Final = 1_000_000
MAX_ATTEMPTS: Final = {
    error_codes.INTERNAL: 3,
    error_codes.CANCELED: 3,
    error_codes.RESOURCE_EXHAUSTED: 6,
}
"""The number of attempts after which a transient failure is final.

The codes mean a fault of the server, a call that the server gave up, and a limit on a trial's
calls. The limit does not apply if the server names a time to wait.
"""
LONGEST_ASKED_WAIT_S: Final = 300.0
"""The longest total time that one call waits at the server's request."""
MAX_PARALLEL_CALLS: Final = 32
"""The most calls that run in the background at the same time, for all trials together."""
HEADERS: Final = {
    "user-agent": "grounded-control-plane",
    "content-type": "application/json",
    "connect-protocol-version": "1",
}


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How long and how often one kind of call is retried."""

    deadline_s: float
    """Seconds for one attempt, including the body of the reply."""
    retry_s: float
    """Seconds of retrying until a failure is final, without waits that the server asked for."""
    max_repeats_in_doubt: int = UNLIMITED
    """The most times to repeat the call although an earlier attempt may have taken effect."""
    trusts_address: bool = True
    """What a reply in another format means, such as a proxy's page. True: a temporary fault, so the
    call is retried. False: a wrong address, as the platform has not replied yet."""
    takes_bare_503_as_refusal: bool = False
    """True if a 503 without a code of the platform means that the call has not taken effect. A
    proxy can send it wrongly, so this is set only for calls that may safely happen twice."""
    ends_at: float = math.inf
    """The time, by `time.monotonic`, after which no attempt is made or waited for."""
    already_is_done: bool = False
    """True if a code of `ALREADY_CODES` in reply to a repeated call means success: an earlier
    attempt has done the work."""


class Service:
    """A service of the platform: the one for runs, or the runtime of one trial."""

    def __init__(self, base_url: str, name: str) -> None:
        """Set up the service. `name` is its package and name: `bitgn.harness.HarnessService`."""
        self.base_url = base_url
        self.url = f"{base_url.rstrip('/')}/{name}"
        self.is_closed = False
        """True if no more requests may be sent, not even retries."""


def _ignore(text: str) -> None:
    """Do nothing with a notice."""


class PlatformClient:
    """Sends requests to the platform. Created for each run; all its threads share it."""

    def __init__(
        self,
        connections: int,
        *,
        secrets: tuple[str, ...] = (),
        notify: Callable[[str], None] = _ignore,
    ) -> None:
        """Set up the client, without opening a connection.

        `secrets` are removed from replies and errors, in case a server repeats them. `notify` tells
        the user why calls wait.
        """
        self.secrets = tuple(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
        self.parallel_calls = ThreadPoolExecutor(
            MAX_PARALLEL_CALLS, thread_name_prefix="platform call"
        )
        """Runs the calls that a trial's thread begins without waiting for them."""
        self._exchange = HttpExchange(connections)
        self._notify = notify
        self._stopping = threading.Event()
        self._noticed_at = -bounds.NOTICE_EVERY_S

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline_s: float
    ) -> HttpReply:
        """Return the reply to a request. Raises the errors of `HttpExchange.post`."""
        return self._exchange.post(url, headers, body, deadline_s)

    def without_secrets(self, text: str) -> str:
        """Return a text with all secrets replaced by `[secret]`."""
        for secret in self.secrets:
            text = text.replace(secret, "[secret]")
        return text

    @property
    def is_stopping(self) -> bool:
        """True after `stop_waiting` was called."""
        return self._stopping.is_set()

    def stop_waiting(self) -> None:
        """End all waiting and prevent retries from now on."""
        self._stopping.set()

    def wait(self, seconds: float) -> bool:
        """Wait for some seconds, or until `stop_waiting` is called.

        Return True if it was called.
        """
        return self._stopping.wait(seconds)

    def notice(self, text: str) -> None:
        """Tell the user why calls wait, at most once every `NOTICE_EVERY_S` for all calls."""
        now = time.monotonic()
        if now - self._noticed_at >= bounds.NOTICE_EVERY_S:
            self._noticed_at = now
            self._notify(text)

    def close(self) -> None:
        """End all waiting, refuse later background calls, and close the connections."""
        self.stop_waiting()
        self.parallel_calls.shutdown(wait=False, cancel_futures=True)


@cache
def _retry_policy(retry_s: float) -> RetryPolicy:
    return RetryPolicy(retry_s, first_pause_s=0.2, longest_pause_s=5.0)


@dataclass(slots=True, eq=False)
class Call(Generic[Result]):
    """One call of the platform, with the attempts made so far.

    `finish` makes the call and returns its result. `begin` may start it earlier in another thread.
    """

    client: PlatformClient
    service: Service
    method: str
    message: Mapping[str, Plain]
    policy: CallPolicy
    read: Callable[[Message], Result]
    """Reads a reply. Raises `WireError` if the reply is malformed."""
    look: Callable[[], Message | None] | None = None
    """Called before a call in doubt is repeated, to find out if it took effect. Returns the lost
    reply if it did, else None."""
    _began_at: float = field(default_factory=time.monotonic)
    _attempts: int = 0
    _attempts_in_doubt: int = 0
    """The number of failed attempts that may have taken effect."""
    _is_in_doubt: bool = False
    """True after such an attempt, until `look` finds that it did not take effect."""
    _waited_s: float = 0.0
    """Seconds spent waiting at the server's request."""
    _first_exchange: Future[Message] | None = None
    """The first attempt, from `begin` until `finish` takes its result."""

    def begin(self) -> Self:
        """Start the first attempt in another thread. Raises `WireError`."""
        try:
            self._first_exchange = self.client.parallel_calls.submit(self._exchange)
        except RuntimeError:
            raise self._given_up(reason="the client was closed") from None
        return self

    def finish(self) -> Result:
        """Make the call, with retries, and return its result.

        Raises `WireError` if it is refused, or if its policy allows no more attempts.
        """
        try:
            return call_with_retry(
                self._attempt,
                _retry_policy(self.policy.retry_s),
                is_transient=self._may_repeat,
                pause=self._pause,
                asked_pause_s=_uncounted_pause_s,
                excluded_s=lambda: self._waited_s,
            )
        except WireError as error:
            error.in_doubt = error.in_doubt or self._is_in_doubt
            error.message = self.client.without_secrets(error.message)
            raise

    def _attempt(self) -> Result:
        """Make one attempt and return its result, or that of an earlier attempt that succeeded.

        Raises `WireError`.
        """
        if self._is_in_doubt and self.look is not None:
            lost_reply = self.look()
            if lost_reply is not None:
                return self.read(lost_reply)
            self._is_in_doubt = False

        self._attempts += 1
        try:
            return self.read(self._reply())
        except CancelledError:
            raise self._given_up(reason="the client was closed") from None
        except WireError as error:
            if self._was_done_before(error):
                return self.read({})  # Such calls have an empty reply.
            if self.policy.takes_bare_503_as_refusal and error.is_bare_503:
                error.in_doubt = False
            if error.in_doubt:
                self._attempts_in_doubt += 1
                self._is_in_doubt = True
            raise

    def _was_done_before(self, error: WireError) -> bool:
        """Return True if the error shows that an earlier attempt succeeded without a reply."""
        is_repeated_in_doubt = self._attempts_in_doubt > 0
        is_done = error.code in ALREADY_CODES
        return self.policy.already_is_done and is_repeated_in_doubt and is_done

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
            raise self._given_up(reason="its trial has ended")
        deadline_s = self.policy.deadline_s
        deadline_ms = max(1, int(deadline_s * 1000))
        headers = {**HEADERS, "connect-timeout-ms": str(deadline_ms)}
        url = f"{self.service.url}/{self.method}"
        body = json.dumps(self.message, separators=(",", ":")).encode()
        try:
            reply = self.client.post(url, headers, body, deadline_s)
        except (OSError, RuntimeError, ValueError, ReplyTooLong, *BROKEN_CONNECTION) as error:
            host = self.service.base_url
            raise error_without_reply(self.method, error, host, deadline_s) from None
        return message_of(self.method, reply, self.client.secrets)

    def _given_up(self, *, reason: str) -> WireError:
        msg = f"{self.method} was given up: {reason}"
        return WireError(error_codes.CANCELED, msg, in_doubt=self._is_in_doubt, transient=False)

    def _may_repeat(self, error: Exception) -> bool:
        """Return True if a failed call may be retried."""
        if not isinstance(error, WireError) or not error.transient or self.client.is_stopping:
            return False
        remaining_s = self.policy.ends_at - time.monotonic()
        if remaining_s <= 0:
            return False

        # If the server names a time to wait, the server limits the number of attempts itself.
        if error.retry_after_s is not None:
            allowed_wait_s = min(remaining_s, LONGEST_ASKED_WAIT_S - self._waited_s)
            if error.retry_after_s > allowed_wait_s:
                return False
        elif self._attempts >= MAX_ATTEMPTS.get(error.code, UNLIMITED):
            return False

        # A reply that is not from the platform may mean a wrong address.
        if error.is_foreign and not self.policy.trusts_address:
            return False

        if error.in_doubt:
            return self._attempts_in_doubt <= self.policy.max_repeats_in_doubt
        return True

    def _pause(self, failed: FailedAttempt) -> bool:
        """Wait before the next attempt. Return True if the client stops waiting.

        The user is told about a long wait. A pause that the server asked for is waited in full and
        added to `_waited_s`. Any other pause is the random one of the retry policy.
        """
        asked_s = named_pause_s(failed.error)
        failing_s = time.monotonic() - self._began_at - self._waited_s
        if asked_s is not None and asked_s >= bounds.NOTICE_AFTER_S:
            self.client.notice(f"the platform asks to wait {asked_s:.0f} s with {self.method}")
        elif failing_s >= bounds.NOTICE_AFTER_S:
            self.client.notice(
                f"{self.method} has been failing for {failing_s:.0f} s "
                f"and is retried for {self.policy.retry_s:g} s: {failed.error}"
            )
        if asked_s is None:
            return self.client.wait(failed.pause_s)
        self._waited_s += asked_s
        return self.client.wait(asked_s)


def _uncounted_pause_s(error: Exception) -> float | None:
    """Return how much of a pause counts toward the retry time; None to let the policy decide.

    A pause that the server asked for counts 0; `Call._pause` waits it in full.
    """
    if named_pause_s(error) is None:
        return None
    return 0.0
