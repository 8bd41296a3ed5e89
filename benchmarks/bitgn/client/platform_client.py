"""Calls to the platform: every call waits for the common throttle, and is retried for as long as its policy says.

A call whose effect is in doubt (its reply was lost) is made again only if a second one does no harm.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeAlias, TypeVar

from agent.http import SHORTEST_SECRET, Exchange, HttpConnections, HttpError, HttpReply
from agent.retry import FailedAttempt, RetryPolicy, call_with_retry, named_pause_s
from benchmarks.bitgn.client.connect_protocol import (
    REPLY_BYTES,
    WireError,
    encode_request,
    read_failure,
    read_reply,
)
from benchmarks.bitgn.client.throttle import PauseTooLong, Throttle, ThrottleClosed
from sandbox.interface import Plain, error_codes

IDLE_S: Final = 4.0
"""Seconds to keep an idle connection: fewer than common servers, which then close it."""
FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 5.0
LONGEST_THROTTLING_S: Final = 300.0
"""Most seconds in total that one call waits at the server's request."""
ATTEMPTS: Final = {error_codes.INTERNAL: 3, error_codes.CANCELED: 3, error_codes.RESOURCE_EXHAUSTED: 6}
"""Attempts after which a transient failure counts as permanent: a fault of the server, a call that the server gave up,
a cap on a trial's calls. Attempts do not count if the server names a time to wait."""
UNLIMITED: Final = 1_000_000
NOTICE_AFTER_S: Final = 10.0
"""Seconds of failures after which the user is told."""
NOTICE_EVERY_S: Final = 60.0
"""Seconds between two such notices, whichever calls they are about."""
ALREADY_CODES: Final = frozenset({error_codes.ALREADY_EXISTS, error_codes.FAILED_PRECONDITION})
"""Codes that a repeated call gets if the one before it did happen."""
Message: TypeAlias = dict[str, Plain]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """Retry policy of one kind of call."""

    deadline_s: float
    """Seconds that one attempt may take, its body included."""
    retry_s: float
    """Seconds after which a failure is final; waiting because the server asked for it does not count."""
    doubts: int = UNLIMITED
    """Times that a call that may have happened is made again."""
    trusts_address: bool = True
    """True if a page in place of a reply is transient; otherwise the address counts as wrong."""
    trusts_bare_503: bool = False
    """True if a 503 without a code counts as a refusal, because a second call does little harm."""
    ends_at: float = math.inf
    """Monotonic time from which nothing is waited for."""
    already_is_done: bool = False
    """True if a repeated call that fails with one of `ALREADY_CODES` counts as done."""


class Service:
    """A service of the platform: the run's, or the runtime of one trial, which is closed when the trial ends."""

    def __init__(self, base_url: str, name: str) -> None:
        """`name` is package and service, as `bitgn.harness.HarnessService`."""
        self.base_url = base_url
        self.url = f"{base_url.rstrip('/')}/{name}"
        self.is_closed = False
        self.sending = threading.Lock()
        """Held while the first bytes of a request leave."""

    def close(self) -> None:
        """Send no further request, not even a retried one."""
        with self.sending:
            self.is_closed = True


class _Begun(threading.local):
    """The calls that a thread has begun, and whose replies it has not read."""

    def __init__(self) -> None:
        self.calls: list[Call[Any]] = []


class PlatformClient:
    """Makes calls over kept connections. Used from many threads at once."""

    def __init__(self, throttle: Throttle, *, secrets: tuple[str, ...] = ()) -> None:
        """Open nothing yet. `secrets` are cut out of replies and errors, should a server repeat one."""
        self.throttle = throttle
        self.connections = HttpConnections(idle_s=IDLE_S, reply_bytes=REPLY_BYTES)
        self.secrets = tuple(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
        self.begun = _Begun()
        self._noticed_at = -NOTICE_EVERY_S

    def notice(self, text: str) -> None:
        """Tell the user that calls fail, once for all calls that fail at the time."""
        now = time.monotonic()
        if now - self._noticed_at >= NOTICE_EVERY_S:
            self._noticed_at = now
            self.throttle.on_notice(text)

    def close(self) -> None:
        """Wake and refuse every call that waits, and close the connections."""
        self.throttle.close()
        self.connections.close()


class _KeptBack(Exception):
    """A call that had its turn was not sent, because the server has asked all calls to wait since."""


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
    """Asked before a call that may have happened is made again: returns the reply if it did happen."""
    _began_at: float = field(default_factory=time.monotonic)
    _number: int = 0
    _lost: int = 0
    _in_doubt: bool = False
    """True if one of the attempts may have happened."""
    _waited_s: float = 0.0
    """Seconds spent waiting for a turn, pauses that the server asked for included."""
    _sent_at: float = 0.0
    _not_before: float = 0.0
    """Monotonic time from which the server accepts the call again."""
    _exchange: Exchange | None = None
    """The exchange that was sent, until its reply is read."""
    _outcome: HttpReply | Exception | None = None

    def begin(self) -> Call[Result]:
        """Send the request if its turn is now; otherwise `finish` does, which the same thread calls in any case."""
        if self.client.throttle.try_acquire():
            self._send()
        return self

    def finish(self) -> Result:
        """Return the call's result, once it succeeds, is refused for good, or its policy ends it.

        Raises `WireError`.
        """
        try:
            return call_with_retry(
                self._attempt,
                RetryPolicy(self.policy.retry_s, FIRST_PAUSE_S, LONGEST_PAUSE_S),
                is_transient=self._may_repeat,
                pause=self._pause,
                # A pause that the server named is over before the call has its turn.
                asked_pause_s=lambda error: None if named_pause_s(error) is None else 0.0,
                excluded_s=lambda: self._waited_s,
            )
        except WireError as error:
            error.in_doubt |= self._in_doubt
            for secret in self.client.secrets:
                error.message = error.message.replace(secret, "[secret]")
            raise
        except PauseTooLong as paused:
            wait = f"the platform asks to wait {paused.paused_s:.0f} s more"
            msg = f"{self.method} was given up: {wait if paused.paused_s else 'no call before it ended'}"
            given_up = WireError(error_codes.UNAVAILABLE, msg, in_doubt=self._in_doubt)
            given_up.retry_after_s = paused.paused_s
            raise given_up from None
        except ThrottleClosed:
            raise self._canceled(why="the client was closed") from None

    def __enter__(self) -> None:
        """Let the request leave: called just before its first bytes do. Raises the error that keeps it back."""
        self.service.sending.acquire()
        try:
            if self.service.is_closed:
                raise self._canceled(why="its trial has ended")
            if self.client.throttle.paused_s:
                raise _KeptBack
        except BaseException:
            self.service.sending.release()
            raise

    def __exit__(self, *_: object) -> None:
        self.service.sending.release()

    def _canceled(self, *, why: str) -> WireError:
        msg = f"{self.method} was given up: {why}"
        return WireError(error_codes.CANCELED, msg, in_doubt=self._in_doubt, transient=False)

    def _attempt(self) -> Result:
        if self._in_doubt and self.look is not None:
            if (known := self.look()) is not None:
                return self.read(known)
            self._in_doubt = False
        self._number += 1
        while self._exchange or self._outcome is None or isinstance(self._outcome, _KeptBack):
            if self._exchange is None:
                self._wait_for_turn()
                self._send()
            self._settle()
        outcome, self._outcome = self._outcome, None
        try:
            if isinstance(outcome, HttpReply):
                return self.read(read_reply(self.method, outcome, self.client.secrets))
            if isinstance(outcome, HttpError):
                raise read_failure(self.method, outcome, self.service.base_url, self.policy.deadline_s)
            raise outcome
        except WireError as error:
            if self.policy.already_is_done and self._lost and error.code in ALREADY_CODES:
                return self.read({})
            if self.policy.trusts_bare_503 and error.is_bare_503:
                error.in_doubt = False
            if error.code == error_codes.RESOURCE_EXHAUSTED and self._not_before < self._sent_at:
                self._not_before = self.client.throttle.pushed_back(None, sent_at=self._sent_at)
            self._lost += error.in_doubt
            self._in_doubt |= error.in_doubt
            raise

    def _wait_for_turn(self) -> None:
        """Wait, holding no turn meanwhile: the replies to calls that were begun are read first."""
        throttle = self.client.throttle
        if not throttle.try_acquire(self._not_before):
            for call in [*self.client.begun.calls]:
                call._settle()
            most_s = min(LONGEST_THROTTLING_S - self._waited_s, self.policy.ends_at - time.monotonic())
            self._waited_s += throttle.acquire(most_s, self._not_before)

    def _send(self) -> None:
        headers, body = encode_request(self.message, self.policy.deadline_s)
        policy, self._sent_at = self.policy, time.monotonic()
        is_repeatable = policy.doubts == UNLIMITED and not policy.already_is_done and self.look is None
        url, deadline_s = f"{self.service.url}/{self.method}", policy.deadline_s
        try:
            self._exchange = Exchange(self.client.connections, url, headers, body, deadline_s, is_repeatable, self)
            self.client.begun.calls.append(self)
        except (HttpError, WireError, _KeptBack) as error:
            self._give_back(error)

    def _settle(self) -> None:
        """Read the reply to what was sent, if it has not been read."""
        if self._exchange is None:
            return
        exchange, self._exchange = self._exchange, None
        self.client.begun.calls.remove(self)
        outcome: HttpReply | Exception = _KeptBack()
        try:
            outcome = exchange.finish()
        except (HttpError, WireError, _KeptBack) as error:
            outcome = error
        finally:
            self._give_back(outcome)

    def _give_back(self, outcome: HttpReply | Exception) -> None:
        """Give the turn back, and record the outcome of the attempt."""
        self._outcome = outcome
        is_taken = isinstance(outcome, HttpReply)
        if isinstance(outcome, HttpReply) and (outcome.status == 429 or outcome.retry_after_s is not None):
            self._not_before = self.client.throttle.pushed_back(outcome.retry_after_s, sent_at=self._sent_at)
            is_taken = False
        self.client.throttle.release(is_taken=is_taken)

    def _may_repeat(self, error: Exception) -> bool:
        if not isinstance(error, WireError) or not error.transient or self.client.throttle.is_stopping:
            return False
        if time.monotonic() >= self.policy.ends_at:
            return False
        if error.retry_after_s is None and self._number >= ATTEMPTS.get(error.code, UNLIMITED):
            return False
        if error.is_foreign and not self.policy.trusts_address:
            return False
        return not error.in_doubt or self._lost <= self.policy.doubts

    def _pause(self, failed: FailedAttempt) -> bool:
        failing_s = time.monotonic() - self._began_at - self._waited_s
        if failing_s >= NOTICE_AFTER_S:
            self.client.notice(
                f"{self.method} has been failing for {failing_s:.0f} s and is retried for {self.policy.retry_s:g} s: "
                f"{failed.error}"
            )
        self.client.throttle.sleep(failed.pause_s)
        return False
