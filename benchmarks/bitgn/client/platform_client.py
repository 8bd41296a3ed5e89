"""Unary calls of the Connect protocol with JSON bodies. Each is retried according to
its policy.

If a reply is lost, nobody knows whether the platform has carried out the call: it is
"in doubt". It is then repeated only if that does no harm.
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

from controlplane.agent.retry import (
    FailedAttempt,
    RetryPolicy,
    call_with_retry,
    named_pause_s,
)
from controlplane.benchmarks.bitgn.client.http_exchange import (
    BROKEN_CONNECTION,
    HttpExchange,
    HttpReply,
    ReplyTooLong,
    error_without_reply,
)
from controlplane.benchmarks.bitgn.client.wire_errors import (
    ALREADY_CODES,
    Message,
    Sender,
    WireError,
)
from controlplane.benchmarks.bitgn.client.wire_replies import message_of
from controlplane.sandbox.interface import Plain, bounds, error_codes

Result = TypeVar("Result")

MIN_SECRET_CHARS: Final = 6
"""A shorter key is a placeholder. Removing it from texts would damage them."""
NO_LIMIT: Final = 1_000_000
"""A number of attempts or repeats that no call reaches."""
MAX_ATTEMPTS: Final = {
    error_codes.INTERNAL: 3,  # A fault of the server: it may occur again and again.
    error_codes.CANCELED: 3,  # The server gave the call up.
    # Too many calls in a trial. This limit does not apply if the server requests a
    # pause.
    error_codes.RESOURCE_EXHAUSTED: 6,
}
"""The most attempts of a call that fails with this code. Other transient failures are
retried until the time is over."""
MAX_REQUESTED_PAUSES_S: Final = 300.0
"""The longest total time that one call waits because the server requested it."""
MAX_PARALLEL_CALLS: Final = 32
"""The most calls that run in the background at the same time, for all trials
together."""
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
    """Seconds after which a failure is final. Pauses that the server requested do not
    count."""
    ends_at: float = math.inf
    """The time, by `time.monotonic`, after which no attempt is made or waited for."""
    max_repeats_in_doubt: int = NO_LIMIT
    """How often the call is repeated after attempts that may have taken effect, for
    example because their replies were lost. 0 for a call that must not happen twice."""
    retries_foreign_replies: bool = True
    """True to retry after a reply that is not from the platform, such as a proxy's
    page. False if the platform has never replied yet, so that its address is probably
    wrong."""
    trusts_plain_503: bool = False
    """True to assume that a call had no effect if the reply is a 503 without an error
    code of the platform. Usually a proxy sends it instead of passing the call on. But
    some proxies have passed the call on, so set this only for calls that may happen
    twice."""
    accepts_already_done: bool = False
    """True if the refusal of a repeated call as "already done" counts as success: an
    earlier attempt did the work, and only its reply was lost."""


class Service:
    """A service of the platform: the one for runs, or the runtime of one trial."""

    def __init__(self, base_url: str, name: str) -> None:
        """Set up the service. `name` is its package and name:
        `bitgn.harness.HarnessService`."""
        self.base_url = base_url
        self.url = f"{base_url.rstrip('/')}/{name}"
        self.is_closed = False
        """True if no more requests may be sent, not even retries."""


def _ignore(text: str) -> None:
    """Do nothing with a notice."""


class PlatformClient:
    """Sends requests to the platform. Created for each run; all its threads share
    it."""

    def __init__(
        self,
        connections: int,
        *,
        secrets: tuple[str, ...] = (),
        notify: Callable[[str], None] = _ignore,
    ) -> None:
        """Set up the client, without opening a connection.

        `secrets` are removed from replies and errors, in case a server repeats them.
        `notify` tells the user why calls wait.
        """
        self.secrets = tuple(
            secret for secret in secrets if len(secret) >= MIN_SECRET_CHARS
        )
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
        """Tell the user why calls wait, at most once every `NOTICE_EVERY_S` for all
        calls."""
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

    `finish` makes the call and returns its result. `begin` may start it earlier in
    another thread.
    """

    client: PlatformClient
    service: Service
    method: str
    message: Mapping[str, Plain]
    policy: CallPolicy
    parse_reply: Callable[[Message], Result]
    """Returns the result in a reply. Raises `WireError` if the reply is malformed."""
    before_repeat: Callable[[], Message | None] | None = None
    """Finds out whether a call in doubt took effect, before it is repeated.

    Returns the lost reply if the call took effect. Returns None if not; then it is
    repeated.
    """
    _began_at: float = field(default_factory=time.monotonic)
    _attempts: int = 0
    _doubtful_attempts: int = 0
    """Counts the failed attempts that might have taken effect when they failed."""
    _is_in_doubt: bool = False
    """True while an earlier attempt may have taken effect, and `before_repeat` has not
    found out."""
    _requested_pauses_s: float = 0.0
    """The total of the pauses that the server requested. They do not count as retry
    time."""
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
                asked_pause_s=_counted_pause_s,
                excluded_s=lambda: self._requested_pauses_s,
            )
        except WireError as error:
            error.in_doubt = error.in_doubt or self._is_in_doubt
            error.message = self.client.without_secrets(error.message)
            raise

    def _attempt(self) -> Result:
        """Make one attempt and return its result. Raises `WireError`.

        If it turns out that an earlier attempt took effect, return the result of that
        attempt.
        """
        if self._is_in_doubt and self.before_repeat is not None:
            lost_reply = self.before_repeat()
            if lost_reply is not None:
                return self.parse_reply(lost_reply)
            self._is_in_doubt = False

        self._attempts += 1
        try:
            return self.parse_reply(self._reply())
        except CancelledError:
            raise self._given_up(reason="the client was closed") from None
        except WireError as error:
            if self._was_done_before(error):
                empty_reply: Message = {}  # The lost reply was empty, too.
                return self.parse_reply(empty_reply)
            is_plain_503 = error.sender is Sender.PERHAPS_A_PROXY
            if is_plain_503 and self.policy.trusts_plain_503:
                error.in_doubt = False
            if error.in_doubt:
                self._doubtful_attempts += 1
                self._is_in_doubt = True
            raise

    def _was_done_before(self, error: WireError) -> bool:
        """Return True if the error shows that an earlier attempt succeeded without a
        reply."""
        if not self.policy.accepts_already_done:
            return False
        return self._doubtful_attempts > 0 and error.code in ALREADY_CODES

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
        except (
            OSError,
            RuntimeError,
            ValueError,
            ReplyTooLong,
            *BROKEN_CONNECTION,
        ) as error:
            host = self.service.base_url
            raise error_without_reply(self.method, error, host, deadline_s) from None
        return message_of(self.method, reply, self.client.secrets)

    def _given_up(self, *, reason: str) -> WireError:
        msg = f"{self.method} was given up: {reason}"
        return WireError(
            error_codes.CANCELED, msg, in_doubt=self._is_in_doubt, transient=False
        )

    def _may_repeat(self, error: Exception) -> bool:
        """Return True if the call may be repeated after this error."""
        if not isinstance(error, WireError) or not error.transient:
            return False
        if self.client.is_stopping:
            return False
        if (
            error.sender is Sender.ANOTHER_SITE
            and not self.policy.retries_foreign_replies
        ):
            return False
        if (
            error.in_doubt
            and self._doubtful_attempts > self.policy.max_repeats_in_doubt
        ):
            return False
        return self._has_time_and_attempts_left(error)

    def _has_time_and_attempts_left(self, error: WireError) -> bool:
        """Return True if neither the end of the trial nor a limit forbids another
        attempt."""
        remaining_s = self.policy.ends_at - time.monotonic()
        if remaining_s <= 0:
            return False
        requested_pause_s = error.retry_after_s
        if requested_pause_s is None:
            return self._attempts < MAX_ATTEMPTS.get(error.code, NO_LIMIT)
        # The server controls how often the call is made, so only the time is limited.
        remaining_pauses_s = MAX_REQUESTED_PAUSES_S - self._requested_pauses_s
        return (
            requested_pause_s <= remaining_s and requested_pause_s <= remaining_pauses_s
        )

    def _pause(self, failed: FailedAttempt) -> bool:
        """Wait before the next attempt. Return True if the client stops waiting.

        The pause is the one that the server requested, or else the random one of the
        retry policy.
        """
        requested_s = named_pause_s(failed.error)
        self._tell_of_long_pause(failed.error, requested_s)
        if requested_s is None:
            return self.client.wait(failed.pause_s)
        self._requested_pauses_s += requested_s
        return self.client.wait(requested_s)

    def _tell_of_long_pause(self, error: Exception, requested_s: float | None) -> None:
        """Tell the user about a long pause, or about a call that has been failing for
        long."""
        failing_s = time.monotonic() - self._began_at - self._requested_pauses_s
        if requested_s is not None and requested_s >= bounds.NOTICE_AFTER_S:
            self.client.notice(
                f"the platform asks to wait {requested_s:.0f} s with {self.method}"
            )
        elif failing_s >= bounds.NOTICE_AFTER_S:
            self.client.notice(
                f"{self.method} has been failing for {failing_s:.0f} s "
                f"and is retried for {self.policy.retry_s:g} s: {error}"
            )


def _counted_pause_s(error: Exception) -> float | None:
    """Return the seconds of the server's requested pause that count as retry time:
    always 0.

    Return None if the server requested no pause. The retry policy then chooses one.
    """
    if named_pause_s(error) is None:
        return None
    return 0.0
