"""Unary calls of the Connect protocol with JSON bodies: throttled together, and retried as long as their policy says.

A call whose effect is in doubt (its reply was lost) is made again only if a second one does no harm. A reply without
the protocol's code does not come from the platform: a proxy, a balancer or another site sent it.
"""

from __future__ import annotations

import json
import math
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Generic, Self, TypeAlias, TypeVar

from agent.http import Exchange, HttpReply, HttpRequest, KeptConnections, NotConnectedError, UnusableUrlError
from agent.retry import FailedAttempt, RetryPolicy, call_with_retry, failure_of, named_pause_s, retry_after_s
from sandbox.interface import Plain, error_codes

Message: TypeAlias = dict[str, Plain]
Result = TypeVar("Result")

FOR_EVERYBODY: Final = 3
"""Push-backs in a row, with no accepted call between them, after which all calls wait."""
MOST_BRACKETS: Final = 1_000_000
"""Objects and lists of a reply: each takes many times its bytes in memory."""
MESSAGE_CHARS: Final = 1_000
"""Characters of a refusal's message that are kept."""
SHORTEST_SECRET: Final = 6
"""Min characters of a secret: a shorter key is a placeholder, and removing it would garble texts."""
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
CALLS_BESIDE: Final = 32
"""Most calls that threads of trials make side by side, all trials together."""
ALREADY_CODES: Final = frozenset({error_codes.ALREADY_EXISTS, error_codes.FAILED_PRECONDITION})
"""Codes that a repeated call gets if the one before it did happen."""

_CODES: Final = [code for name, code in vars(error_codes).items() if name.isupper()] + ["out_of_range"]
"""The codes of the protocol; proxies and balancers have others."""
_CODES_OF_BARE_STATUS: Final = {
    **dict.fromkeys((400, 413, 414, 431), error_codes.INVALID_ARGUMENT),
    408: error_codes.DEADLINE_EXCEEDED,
    429: error_codes.RESOURCE_EXHAUSTED,
    500: error_codes.INTERNAL,
}
"""Any other status without a code says that the platform was not reached."""
_DONE_NOTHING: Final = frozenset({400, 401, 403, 404, 405, 407, 413, 414, 415, 421, 425, 429, 431, 451})
_REMEDIES_OF_CERTIFICATES: Final = {
    **dict.fromkeys((9, 10), "; is this machine's clock right?"),
    **dict.fromkeys((62, 64), "; is BITGN_HOST the name that its certificate has?"),
}
"""Remedies by OpenSSL's error code: the certificate is not yet valid, has expired, or has another name or address."""
_HEADERS: Final = (
    (b"user-agent", b"grounded-control-plane"),
    (b"content-type", b"application/json"),
    (b"connect-protocol-version", b"1"),
)
_FAILURES: Final = (UnusableUrlError, NotConnectedError, OSError, ValueError)
"""The failures of an exchange."""
_encoded: Final = json.JSONEncoder(separators=(",", ":")).encode


class WireError(Exception):
    """A call failed. The text never holds the request."""

    is_bare_503 = False
    """True for a 503 without a code: most likely a refusal, from an unknown sender."""
    is_foreign = False
    """True if something other than the platform answered: a proxy, a balancer, another site at a wrong address."""
    retry_after_s: float | None = None

    def __init__(self, code: str, message: str, *, in_doubt: bool | None = None, transient: bool | None = None) -> None:
        super().__init__(code, message)
        failure = failure_of(code)
        self.code = code
        self.message = message
        self.in_doubt = failure.in_doubt if in_doubt is None else in_doubt
        """False only if the call was never sent, or if the server itself says that it did nothing."""
        self.transient = failure.transient if transient is None else transient
        """True if another attempt may succeed."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def foreign_reply(message: str) -> WireError:
    """Return the error of a reply that does not come from the platform."""
    error = WireError(error_codes.UNAVAILABLE, message, in_doubt=True)
    error.is_foreign = True
    return error


class ThrottleClosed(Exception):
    """The throttle was closed while a call waited for its turn."""


class PauseTooLong(Exception):
    """A call waited for its turn as long as it may, and the server asks for `paused_s` seconds more."""

    def __init__(self, paused_s: float) -> None:
        super().__init__(f"still paused for {paused_s:.0f} s")
        self.paused_s = paused_s


class Throttle:
    """Limits the calls in flight of all trials of a process, and holds them until the time that the server names.

    A push-back holds its own call; several in a row hold all calls and halve the limit. Every full round of calls that
    the server accepts raises the limit by one.
    """

    def __init__(self, most: int, *, on_notice: Callable[[str], None] = lambda _: None) -> None:
        self.on_notice = on_notice
        self.limit = most
        """Calls that may be in flight at once."""
        self.in_flight = 0
        self.is_stopping = False
        """True while no call should wait for the end of a pause."""
        self._most = most
        self._accepted = 0
        self._in_a_row = FOR_EVERYBODY - 1  # until the first call is accepted
        self._open_at = 0.0
        self._slowed_at = 0.0
        self._closing = threading.Event()
        self._changed = threading.Condition()

    def try_acquire(self, not_before: float = 0.0) -> bool:
        """Say whether the call has a turn now, without waiting."""
        with self._changed:
            now = time.monotonic()
            has_turn = (
                max(self._open_at, not_before) <= now and self.in_flight < self.limit and not self._closing.is_set()
            )
            self.in_flight += has_turn
            return has_turn

    def acquire(self, longest_s: float, not_before: float = 0.0) -> float:
        """Wait at most `longest_s` for a turn, not before `not_before` (monotonic); return the seconds of waiting.

        Raises `ThrottleClosed` and `PauseTooLong`.
        """
        began = now = time.monotonic()
        with self._changed:
            while self._closing.is_set() or max(self._open_at, not_before) > now or self.in_flight >= self.limit:
                if self._closing.is_set():
                    raise ThrottleClosed
                paused_s, left_s = max(0.0, self._open_at - now, not_before - now), began + longest_s - now
                if left_s <= 0 or (self.is_stopping and paused_s):
                    self._changed.notify()  # this call may have been woken in place of another
                    raise PauseTooLong(paused_s)
                self._changed.wait(min(left_s, paused_s or left_s))
                now = time.monotonic()
            self.in_flight += 1
        return now - began

    def release(self, *, is_accepted: bool) -> None:
        """Give a turn back; `is_accepted` says that the server took the call, whatever its result."""
        with self._changed:
            self.in_flight -= 1
            if is_accepted:
                self._in_a_row = 0
                self._accepted += self.limit < self._most
                if self._accepted >= self.limit:
                    self._accepted, self.limit = 0, self.limit + 1
            self._changed.notify_all()

    def push_back(self, pause_s: float | None, *, sent_at: float) -> float:
        """Slow down after a push-back of a call sent at `sent_at`; return when that call may start (monotonic).

        A push-back of a call sent before the limit was last halved does not halve it again: the cause is the same.
        """
        now = time.monotonic()
        open_at = now + (pause_s or 0.0)
        with self._changed:
            self._in_a_row += 1
            if self._in_a_row < FOR_EVERYBODY:
                return open_at
            is_news = open_at - now >= 1 and open_at > self._open_at + 0.5
            self._open_at = max(self._open_at, open_at)
            if sent_at >= self._slowed_at:
                self._slowed_at, self._accepted = now, 0
                self.limit = max(1, min(self.limit, self.in_flight) // 2)
        if is_news:
            self.on_notice(f"the platform asks to wait {pause_s:.0f} s; then {self.limit} calls at a time")
        return open_at

    def stop_waiting(self) -> None:
        """Let no call wait for the end of a pause from now on."""
        with self._changed:
            self.is_stopping = True
            self._changed.notify_all()

    def sleep(self, seconds: float) -> None:
        """Wait, no longer than until `close`. Raises `ThrottleClosed`."""
        if self._closing.wait(seconds):
            raise ThrottleClosed

    def close(self) -> None:
        """Wake and refuse everyone who waits."""
        self._closing.set()
        with self._changed:
            self._changed.notify_all()


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
        """True once no further request may be sent, not even a retried one."""


class _Begun(threading.local):
    """The calls that a thread has sent, and whose replies it has not read."""

    def __init__(self) -> None:
        self.calls: list[Call[Any]] = []


class PlatformClient:
    """Makes calls over kept connections. Used from many threads at once."""

    def __init__(self, throttle: Throttle, *, secrets: tuple[str, ...] = ()) -> None:
        """Open nothing yet. `secrets` are cut out of replies and errors, should a server repeat one."""
        self.throttle = throttle
        self.secrets = tuple(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
        self.beside = ThreadPoolExecutor(CALLS_BESIDE, thread_name_prefix="platform call")
        """Makes the calls for which a trial's thread would have to open a connection, or to wait for a turn."""
        self.connections = KeptConnections()
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
        self.beside.shutdown(wait=False, cancel_futures=True)
        self.connections.close()


@cache
def _retry_policy(retry_s: float) -> RetryPolicy:
    return RetryPolicy(retry_s, FIRST_PAUSE_S, LONGEST_PAUSE_S)


def _read(method: str, reply: HttpReply, secrets: tuple[str, ...]) -> Message:
    status, headers, content = reply
    for secret in secrets:
        content = content.replace(secret.encode(), b"[secret]")
    if status != 200:
        raise _refusal(method, status, headers, content)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        msg = f"the reply of {method} is {kind or 'of no type'}, not JSON; is the host right?{_excerpt(content)}"
        raise foreign_reply(msg)
    message = _json(content)
    if message is None:
        raise WireError(error_codes.INTERNAL, f"the reply of {method} is not JSON{_excerpt(content)}")
    if not isinstance(message, dict):
        msg = f"the reply of {method} is not a JSON object{_excerpt(content)}"
        raise foreign_reply(msg)
    return message


def _refusal(method: str, status: int, headers: Mapping[str, str], content: bytes) -> WireError:
    reply, pause_s = _json(content), retry_after_s(headers)
    if isinstance(reply, dict) and reply.get("code") in _CODES:
        message = str(reply.get("message") or f"{method} was refused with status {status}")
        error = WireError(str(reply["code"]), message[:MESSAGE_CHARS])
    else:
        # A bare 503 may come from a proxy after the server has begun; with Retry-After, the server says that it has
        # not begun.
        is_refusal = status in _DONE_NOTHING or (status == 503 and pause_s is not None)
        target = f" to {headers['location'][:200]}" if 300 <= status < 400 and "location" in headers else ""
        code = _CODES_OF_BARE_STATUS.get(status, error_codes.UNAVAILABLE)
        message = f"{method} was answered with status {status}{target}{_excerpt(content)}"
        error = WireError(code, message, in_doubt=not is_refusal)
        error.is_bare_503 = status == 503
        if status < 500 and status not in _CODES_OF_BARE_STATUS:  # a wrong address rather than a busy platform
            error.is_foreign = True
            error.message += "; is the host right?"
    error.retry_after_s = pause_s
    return error


def _json(content: bytes) -> Plain:
    """Return the JSON document `content`; None if it is not JSON, or holds too much to be read."""
    try:
        document: Plain = None if content.count(b"{") + content.count(b"[") > MOST_BRACKETS else json.loads(content)
    except (ValueError, RecursionError):
        return None
    return document


def _excerpt(content: bytes) -> str:
    text = " ".join(re.sub(r"<[^>]*>|\s+", " ", content[:2000].decode(errors="replace")).split())[:120]
    return f": {text}" if text else ""


def _lost(method: str, error: Exception, host: str, deadline_s: float) -> WireError:
    """Return the error of a call without a whole reply: only one that never connected has certainly done nothing."""
    match error:
        case UnusableUrlError():
            msg = f"{host} is not the URL of a platform: {error}; set BITGN_HOST to one that begins with https://"
            return WireError(error_codes.INVALID_ARGUMENT, msg)
        case NotConnectedError():
            # A connection that ended within the handshake may only have been cut.
            cause = error.__cause__
            is_about_tls = isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError)
            msg = f"{host} cannot be reached: {error}{_remedy(error, is_about_tls=is_about_tls)}"
            return WireError(error_codes.UNAVAILABLE, msg, transient=not is_about_tls)
        case TimeoutError():
            return WireError(error_codes.DEADLINE_EXCEEDED, f"{method} had no complete reply in {deadline_s:g} s")
        case ValueError():
            return WireError(error_codes.INTERNAL, f"the reply of {method} cannot be decoded: {error}")
    msg = f"the connection was lost during {method}: {error or type(error).__name__}"
    return WireError(error_codes.UNAVAILABLE, msg, in_doubt=True)


def _remedy(error: NotConnectedError, *, is_about_tls: bool) -> str:
    """Return what a user can do about a failed connection; empty if the user can only wait."""
    match error.__cause__:
        case ssl.SSLCertVerificationError(verify_code=code):
            return _REMEDIES_OF_CERTIFICATES.get(code, "; set SSL_CERT_FILE to its authority's certificate")
        case _ if is_about_tls:
            return "; does it speak TLS there, or should the host begin with http://?"
        case _ if error.by_proxy:
            return "; mend HTTPS_PROXY, or name the host in NO_PROXY"
        case socket.gaierror():
            return "; is BITGN_HOST right, and is the network up?"
    return ""


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
    """What was sent, until its reply is read."""
    _outcome: Message | WireError | None = None
    """What came of the exchange, until the attempt ends."""
    _elsewhere: Future[Result] | None = None
    """Set if another thread makes the call."""

    def begin(self) -> Self:
        """Send the request now if its turn has come and a connection is idle, else have another thread make the call.

        The thread that begins a call finishes it. Raises `WireError`.
        """
        if self.client.throttle.try_acquire():
            self._send(self.client.connections.send_if_idle)
        if self._exchange is None and self._outcome is None:
            try:
                self._elsewhere = self.client.beside.submit(self.make)
            except RuntimeError:
                raise self._canceled(why="the client was closed") from None
        return self

    def finish(self) -> Result:
        """Return the result of a call that was begun, as `make` does."""
        if self._elsewhere is None:
            return self.make()
        self._settle_all()
        return self._elsewhere.result()

    def make(self) -> Result:
        """Return the call's result, once it succeeds, is refused for good, or its policy ends it.

        Raises `WireError`.
        """
        try:
            return call_with_retry(
                self._attempt,
                _retry_policy(self.policy.retry_s),
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

    def _canceled(self, *, why: str) -> WireError:
        msg = f"{self.method} was given up: {why}"
        return WireError(error_codes.CANCELED, msg, in_doubt=self._in_doubt, transient=False)

    def _attempt(self) -> Result:
        if self._in_doubt and self.look is not None:
            if (reply := self.look()) is not None:
                return self.read(reply)
            self._in_doubt = False
        self._number += 1
        if self._exchange is None and self._outcome is None:
            self._wait_for_turn()
            self._send(self.client.connections.send)
        self._settle()
        outcome, self._outcome = self._outcome, None
        try:
            if isinstance(outcome, WireError):
                raise outcome
            return self.read(outcome or {})
        except WireError as error:
            if self.policy.already_is_done and self._lost and error.code in ALREADY_CODES:
                return self.read({})
            error.in_doubt &= not (self.policy.trusts_bare_503 and error.is_bare_503)
            self._lost += error.in_doubt
            self._in_doubt |= error.in_doubt
            raise

    def _wait_for_turn(self) -> None:
        throttle = self.client.throttle
        if not throttle.try_acquire(self._not_before):
            self._settle_all()
            most_s = min(LONGEST_THROTTLING_S - self._waited_s, self.policy.ends_at - time.monotonic())
            self._waited_s += throttle.acquire(most_s, self._not_before)

    def _send(self, send: Callable[[HttpRequest], Exchange | None]) -> None:
        """Send the request in the turn that this call has; without an idle connection `send` may refuse to."""
        deadline_s, self._sent_at = self.policy.deadline_s, time.monotonic()
        headers = (*_HEADERS, (b"connect-timeout-ms", b"%d" % max(1, int(deadline_s * 1000))))
        body = _encoded(self.message).encode()
        try:
            if self.service.is_closed:
                raise self._canceled(why="its trial has ended")
            self._exchange = send(HttpRequest(f"{self.service.url}/{self.method}", headers, body, deadline_s))
        except WireError as error:
            self._outcome = error
        except _FAILURES as error:
            self._outcome = _lost(self.method, error, self.service.base_url, deadline_s)
        finally:
            if self._exchange is None:
                self.client.throttle.release(is_accepted=False)
            else:
                self.client.begun.calls.append(self)

    def _settle(self) -> None:
        """Read the reply to what was sent, and give the turn back."""
        exchange, self._exchange, throttle, is_accepted = self._exchange, None, self.client.throttle, False
        if exchange is None:
            return
        self.client.begun.calls.remove(self)
        try:
            try:
                reply = exchange.finish()
            except _FAILURES as error:
                raise _lost(self.method, error, self.service.base_url, self.policy.deadline_s) from None
            is_accepted = True
            self._outcome = _read(self.method, reply, self.client.secrets)
        except WireError as error:
            self._outcome = error
            if error.code == error_codes.RESOURCE_EXHAUSTED or error.retry_after_s is not None:
                self._not_before, is_accepted = throttle.push_back(error.retry_after_s, sent_at=self._sent_at), False
        finally:
            throttle.release(is_accepted=is_accepted)

    def _settle_all(self) -> None:
        """Read the replies to all calls that this thread has sent: each holds a turn for which others may wait."""
        for call in [*self.client.begun.calls]:
            call._settle()

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
