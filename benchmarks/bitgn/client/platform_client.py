"""Unary calls of the Connect protocol with JSON bodies, retried as long as their policy says.

If the reply to a call is lost, nobody knows whether the platform has done what was asked: the call
is in doubt. It is made again only if doing it twice does no harm.
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
"""A key of fewer characters is a placeholder, and removing it would garble texts."""
UNLIMITED: Final = 1_000_000
MAX_ATTEMPTS: Final = {
    error_codes.INTERNAL: 3,
    error_codes.CANCELED: 3,
    error_codes.RESOURCE_EXHAUSTED: 6,
}
"""Attempts after which a transient failure counts as permanent.

The codes are of a fault of the server, a call that the server gave up, and a cap on a trial's
calls. Attempts do not count if the server names a time to wait.
"""
LONGEST_ASKED_WAIT_S: Final = 300.0
"""The longest time in total that one call waits at the server's request."""
MAX_PARALLEL_CALLS: Final = 32
"""Calls that a trial begins without waiting for them, of all trials together."""
HEADERS: Final = {
    "user-agent": "grounded-control-plane",
    "content-type": "application/json",
    "connect-protocol-version": "1",
}


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """Retry policy of one kind of call."""

    deadline_s: float
    """Seconds that one attempt may take, its body included."""
    retry_s: float
    """Seconds after which a failure is final; waiting at the server's request does not count."""
    max_repeats_in_doubt: int = UNLIMITED
    """How often the call is made again although an attempt before may have taken effect."""
    trusts_address: bool = True
    """What a page in place of a reply means, as a proxy sends it. True: a fault that passes, so the
    call is made again. False, as long as the platform has never replied: the address is wrong."""
    takes_bare_503_as_refusal: bool = False
    """What a 503 without a code of the platform means. True: the call has not taken effect. A proxy
    may be wrong about that, so it is said only of calls of which a second one does little harm."""
    ends_at: float = math.inf
    """The moment, by `time.monotonic`, from which no attempt is made or waited for."""
    already_is_done: bool = False
    """True if the call has succeeded if it is repeated and the platform says, by one of
    `ALREADY_CODES`, that this was done already: then an attempt before has done it."""


class Service:
    """A service of the platform: that of runs, or the runtime of one trial."""

    def __init__(self, base_url: str, name: str) -> None:
        """`name` is package and service, as `bitgn.harness.HarnessService`."""
        self.base_url = base_url
        self.url = f"{base_url.rstrip('/')}/{name}"
        self.is_closed = False
        """True once no further request may be sent, not even a retried one."""


def _ignore(text: str) -> None:
    """Tell nobody."""


class PlatformClient:
    """Sends requests to the platform, and holds what all calls share. Used from many threads."""

    def __init__(
        self,
        connections: int,
        *,
        secrets: tuple[str, ...] = (),
        notify: Callable[[str], None] = _ignore,
    ) -> None:
        """Open nothing yet.

        `secrets` are cut out of replies and errors, should a server repeat one; `notify` tells the
        user what calls wait for.
        """
        self.secrets = tuple(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
        self.parallel_calls = ThreadPoolExecutor(
            MAX_PARALLEL_CALLS, thread_name_prefix="platform call"
        )
        """Makes the calls that a trial's thread begins, while that thread goes on."""
        self._exchange = HttpExchange(connections)
        self._notify = notify
        self._stopping = threading.Event()
        self._noticed_at = -bounds.NOTICE_EVERY_S

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline_s: float
    ) -> HttpReply:
        """Return the reply to a request. Raises as `HttpExchange.post` does."""
        return self._exchange.post(url, headers, body, deadline_s)

    def without_secrets(self, text: str) -> str:
        """Return a text in which no secret stands."""
        for secret in self.secrets:
            text = text.replace(secret, "[secret]")
        return text

    @property
    def is_stopping(self) -> bool:
        """True once no call should wait."""
        return self._stopping.is_set()

    def stop_waiting(self) -> None:
        """Let no call wait from now on, and none be retried."""
        self._stopping.set()

    def wait(self, seconds: float) -> bool:
        """Wait, no longer than until `stop_waiting`; return whether that was called."""
        return self._stopping.wait(seconds)

    def notice(self, text: str) -> None:
        """Tell the user that calls wait, once for all calls that wait at the time."""
        now = time.monotonic()
        if now - self._noticed_at >= bounds.NOTICE_EVERY_S:
            self._noticed_at = now
            self._notify(text)

    def close(self) -> None:
        """Wake and refuse every call that waits, and close the connections."""
        self.stop_waiting()
        self.parallel_calls.shutdown(wait=False, cancel_futures=True)


@cache
def _retry_policy(retry_s: float) -> RetryPolicy:
    return RetryPolicy(retry_s, first_pause_s=0.2, longest_pause_s=5.0)


@dataclass(slots=True, eq=False)
class Call(Generic[Result]):
    """One call, and its attempts so far."""

    client: PlatformClient
    service: Service
    method: str
    message: Mapping[str, Plain]
    policy: CallPolicy
    read: Callable[[Message], Result]
    """Reads a reply; raises `WireError` for a malformed one."""
    look: Callable[[], Message | None] | None = None
    """Looks, before a call in doubt is made again, whether an attempt has taken effect. It returns the
    reply that was lost, or None if the call has not taken effect."""
    _began_at: float = field(default_factory=time.monotonic)
    _attempts: int = 0
    _attempts_in_doubt: int = 0
    """Attempts that failed in a way that leaves open whether they have taken effect."""
    _is_in_doubt: bool = False
    """True from such an attempt on, until `look` finds that it has not taken effect."""
    _waited_s: float = 0.0
    """Seconds spent waiting because the server asked for it."""
    _first_exchange: Future[Message] | None = None
    """The first attempt, from `begin` until `finish` takes its reply."""

    def begin(self) -> Self:
        """Let another thread make the first attempt. Raises `WireError`."""
        try:
            self._first_exchange = self.client.parallel_calls.submit(self._exchange)
        except RuntimeError:
            raise self._given_up(reason="the client was closed") from None
        return self

    def finish(self) -> Result:
        """Return the call's result, once it succeeds, is refused for good, or its policy ends it.

        Raises `WireError`.
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
        """Return the result of one more attempt, or of an earlier one that turns out to have happened.

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
        """Return True if an attempt fails because an earlier one, whose reply was lost, has done the work."""
        is_repeated_in_doubt = self._attempts_in_doubt > 0
        is_done = error.code in ALREADY_CODES
        return self.policy.already_is_done and is_repeated_in_doubt and is_done

    def _reply(self) -> Message:
        """Return the reply to the attempt that `begin` has started, or to a new one. Raises `WireError`."""
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
        """Return True if a failed call may be made again."""
        if not isinstance(error, WireError) or not error.transient or self.client.is_stopping:
            return False
        remaining_s = self.policy.ends_at - time.monotonic()
        if remaining_s <= 0:
            return False

        # A server that names a time to wait decides itself how often it is asked.
        if error.retry_after_s is not None:
            allowed_wait_s = min(remaining_s, LONGEST_ASKED_WAIT_S - self._waited_s)
            if error.retry_after_s > allowed_wait_s:
                return False
        elif self._attempts >= MAX_ATTEMPTS.get(error.code, UNLIMITED):
            return False

        # A reply of something other than the platform may mean a wrong address.
        if error.is_foreign and not self.policy.trusts_address:
            return False

        if error.in_doubt:
            return self._attempts_in_doubt <= self.policy.max_repeats_in_doubt
        return True

    def _pause(self, failed: FailedAttempt) -> bool:
        """Wait before the next attempt; return whether the client stops waiting.

        The user is told of a long wait. A pause that the server asks for is waited in full, and
        counted in `_waited_s`; any other is the random one of the retry policy.
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
    """Return what a pause counts of the time in which a call is retried.

    It is 0 for a pause that the server asked for, which `Call._pause` waits in full; None leaves the
    pause, and what it counts, to the retry policy.
    """
    if named_pause_s(error) is None:
        return None
    return 0.0
