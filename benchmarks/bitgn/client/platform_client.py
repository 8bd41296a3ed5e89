"""Unary calls of the Connect protocol with JSON bodies, retried as long as their policy says.

A call whose effect is in doubt (its reply was lost) is made again only if a second one does no harm. A reply without
the protocol's code does not come from the platform: a proxy, a balancer or another site sent it.
"""

from __future__ import annotations

import json
import math
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Generic, NamedTuple, Self, TypeAlias, TypeVar

import pyqwest

from controlplane.agent.retry import (
    FailedAttempt,
    RetryPolicy,
    call_with_retry,
    failure_of,
    named_pause_s,
    retry_after_s,
)
from controlplane.sandbox.interface import Plain, bounds, error_codes

Message: TypeAlias = dict[str, Plain]
Result = TypeVar("Result")

SHORTEST_SECRET: Final = 6
"""Min characters of a secret: a shorter key is a placeholder, and removing it would garble texts."""
ATTEMPTS: Final = {
    error_codes.INTERNAL: 3,
    error_codes.CANCELED: 3,
    error_codes.RESOURCE_EXHAUSTED: 6,
}
"""Attempts after which a transient failure counts as permanent: a fault of the server, a call that the server gave up,
a cap on a trial's calls. Attempts do not count if the server names a time to wait."""
UNLIMITED: Final = 1_000_000
ALREADY_CODES: Final = frozenset({error_codes.ALREADY_EXISTS, error_codes.FAILED_PRECONDITION})
"""Codes that a repeated call gets if the one before it did happen."""

_CODES: Final = [code for name, code in vars(error_codes).items() if name.isupper()] + [
    "out_of_range"
]
"""The codes of the protocol; proxies and balancers have others."""
_CODES_OF_BARE_STATUS: Final = {
    **dict.fromkeys((400, 413, 414, 431), error_codes.INVALID_ARGUMENT),
    408: error_codes.DEADLINE_EXCEEDED,
    429: error_codes.RESOURCE_EXHAUSTED,
    500: error_codes.INTERNAL,
}
"""Any other status without a code says that the platform was not reached."""
_DONE_NOTHING: Final = frozenset(
    {400, 401, 403, 404, 405, 407, 413, 414, 415, 421, 425, 429, 431, 451}
)
_REMEDIES: Final = {
    "certificate": "; set SSL_CERT_FILE to its authority's certificate, or BITGN_HOST to the name that it has",
    "tunnel error": "; mend HTTPS_PROXY, or name the host in NO_PROXY",
    "dns error": "; is BITGN_HOST right, and is the network up?",
}
"""What a user can do about a failed connection, by a phrase of the library's error."""
_BROKEN: Final = (pyqwest.RemoteProtocolError, pyqwest.ReadError, pyqwest.WriteError)
"""The connection broke, or something other than HTTP came over it."""
_HEADERS: Final = {
    "user-agent": "grounded-control-plane",
    "content-type": "application/json",
    "connect-protocol-version": "1",
}
_encoded: Final = json.JSONEncoder(separators=(",", ":")).encode


class WireError(Exception):
    """A call failed. The text never holds the request."""

    is_bare_503 = False
    """True for a 503 without a code: most likely a refusal, from an unknown sender."""
    is_foreign = False
    """True if something other than the platform answered: a proxy, a balancer, another site at a wrong address."""
    retry_after_s: float | None = None

    def __init__(
        self,
        code: str,
        message: str,
        *,
        in_doubt: bool | None = None,
        transient: bool | None = None,
    ) -> None:
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


class ReplyTooLong(Exception):
    """A reply was not read to its end."""


class HttpReply(NamedTuple):
    """A whole reply."""

    status: int
    headers: Mapping[str, str]
    """Names are in lower case."""
    content: bytes


class PlatformClient:
    """Makes calls over kept connections. Used from many threads at once."""

    def __init__(
        self,
        connections: int,
        *,
        secrets: tuple[str, ...] = (),
        notify: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Open nothing yet. `secrets` are cut out of replies and errors, should a server repeat one; `notify` tells the
        user what calls wait for."""
        self.secrets = tuple(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
        # Most calls that trials make beside others.
        self.beside = ThreadPoolExecutor(32, thread_name_prefix="platform call")
        """Makes the calls of a trial's thread that go on side by side."""
        self._http = pyqwest.SyncClient(_transport(connections))
        self._turns = threading.Semaphore(connections)
        self._notify = notify
        self._waits = threading.Event()
        self._noticed_at = -bounds.NOTICE_EVERY_S

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline_s: float
    ) -> HttpReply:
        """Return the reply to a request, decompressed.

        Raises `ConnectionError` if nothing was sent, `TimeoutError` if the whole reply has not arrived by the deadline,
        `ReplyTooLong`, `ValueError` or `RuntimeError` for an address that is not one, and else an error of `pyqwest`.
        """
        with (
            self._turns,
            self._http.stream("POST", url, headers, body, timeout=deadline_s) as reply,
        ):
            content = bytearray()
            for part in reply.content:
                content += part
                if len(content) > bounds.MOST_REPLY_BYTES:
                    msg = f"is longer than {bounds.MOST_REPLY_BYTES} bytes"
                    raise ReplyTooLong(msg)
            return HttpReply(reply.status, dict(reply.headers.items()), bytes(content))

    @property
    def is_stopping(self) -> bool:
        """True once no call should wait."""
        return self._waits.is_set()

    def stop_waiting(self) -> None:
        """Let no call wait from now on, and none be retried."""
        self._waits.set()

    def wait(self, seconds: float) -> bool:
        """Wait, no longer than until `stop_waiting`; return whether that was called."""
        return self._waits.wait(seconds)

    def notice(self, text: str) -> None:
        """Tell the user that calls wait, once for all calls that wait at the time."""
        now = time.monotonic()
        if now - self._noticed_at >= bounds.NOTICE_EVERY_S:
            self._noticed_at = now
            self._notify(text)

    def close(self) -> None:
        """Wake and refuse every call that waits, and close the connections."""
        self.stop_waiting()
        self.beside.shutdown(wait=False, cancel_futures=True)


@cache
def _retry_policy(retry_s: float) -> RetryPolicy:
    return RetryPolicy(retry_s, first_pause_s=0.2, longest_pause_s=5.0)


def _transport(connections: int) -> pyqwest.SyncHTTPTransport:
    """Return connections without redirects, which would carry the key to another host. Raises `ValueError`."""
    own = os.environ.get("SSL_CERT_FILE")
    try:
        return pyqwest.SyncHTTPTransport(
            tls_ca_cert=Path(own).read_bytes() if own else None,
            tls_include_system_certs=not own,
            http_version=pyqwest.HTTPVersion.HTTP1,
            connect_timeout=bounds.LONGEST_CONNECT_S,
            # Seconds to keep an idle connection: fewer than common servers, which then close it.
            pool_idle_timeout=bounds.IDLE_CONNECTION_S,
            pool_max_idle_per_host=connections,
            use_system_dns=True,
            follow_redirects=False,
            enable_otel=False,
        )
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {said}"
        raise ValueError(msg) from None


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
        raise WireError(
            error_codes.INTERNAL, f"the reply of {method} is not JSON{_excerpt(content)}"
        )
    if not isinstance(message, dict):
        msg = f"the reply of {method} is not a JSON object{_excerpt(content)}"
        raise foreign_reply(msg)
    return message


def _refusal(method: str, status: int, headers: Mapping[str, str], content: bytes) -> WireError:
    reply, pause_s = _json(content), retry_after_s(headers)
    if isinstance(reply, dict) and reply.get("code") in _CODES:
        message = str(reply.get("message") or f"{method} was refused with status {status}")
        error = WireError(str(reply["code"]), message[: bounds.MOST_REFUSAL_CHARS])
    else:
        # A bare 503 may come from a proxy after the server has begun; with Retry-After, the server says that it has
        # not begun.
        is_refusal = status in _DONE_NOTHING or (status == 503 and pause_s is not None)
        target = (
            f" to {headers['location'][:200]}"
            if 300 <= status < 400 and "location" in headers
            else ""
        )
        code = _CODES_OF_BARE_STATUS.get(status, error_codes.UNAVAILABLE)
        message = f"{method} was answered with status {status}{target}{_excerpt(content)}"
        error = WireError(code, message, in_doubt=not is_refusal)
        error.is_bare_503 = status == 503
        if (
            status < 500 and status not in _CODES_OF_BARE_STATUS
        ):  # a wrong address rather than a busy platform
            error.is_foreign = True
            error.message += "; is the host right?"
    error.retry_after_s = pause_s
    return error


def _json(content: bytes) -> Plain:
    """Return the JSON document `content`; None if it is not JSON, or holds too much to be read."""
    try:
        # Objects and lists of a reply: each takes many times its bytes in memory.
        document: Plain = (
            None if content.count(b"{") + content.count(b"[") > 1_000_000 else json.loads(content)
        )
    except (ValueError, RecursionError):
        return None
    return document


def _excerpt(content: bytes) -> str:
    text = " ".join(re.sub(r"<[^>]*>|\s+", " ", content[:2000].decode(errors="replace")).split())[
        :120
    ]
    return f": {text}" if text else ""


def _lost(method: str, error: Exception, host: str, deadline_s: float) -> WireError:
    """Return the error of a call without a whole reply: only one that never connected has certainly done nothing."""
    said = str(error).rpartition("): ")[
        2
    ]  # what comes before names the URL, and the library's layers
    match error:
        case ConnectionError():
            is_about_tls = "certificate" in said or "corrupt message" in said
            remedy = next((text for phrase, text in _REMEDIES.items() if phrase in said), "")
            msg = f"{host} cannot be reached: {said}{remedy}"
            return WireError(error_codes.UNAVAILABLE, msg, transient=not is_about_tls)
        case TimeoutError():
            return WireError(
                error_codes.DEADLINE_EXCEEDED, f"{method} had no complete reply in {deadline_s:g} s"
            )
        case ReplyTooLong():
            return WireError(error_codes.INTERNAL, f"the reply of {method} {error}")
        case _ if isinstance(error, _BROKEN):
            msg = f"the connection was lost during {method}: {said}"
            return WireError(error_codes.UNAVAILABLE, msg, in_doubt=True)
    msg = f"{host} is not the URL of a platform: {said}; set BITGN_HOST to one that begins with https://"
    return WireError(error_codes.INVALID_ARGUMENT, msg)


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
    """Seconds spent waiting because the server asked for it."""
    _begun: Future[Message] | None = None
    """The first attempt, if it is made beside others."""

    def begin(self) -> Self:
        """Have another thread make the first attempt, and leave its result to `finish`. Raises `WireError`."""
        try:
            self._begun = self.client.beside.submit(self._exchange)
        except RuntimeError:
            raise self._canceled(why="the client was closed") from None
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
                # A pause that the server named does not count towards the limit.
                asked_pause_s=lambda error: None if named_pause_s(error) is None else 0.0,
                excluded_s=lambda: self._waited_s,
            )
        except WireError as error:
            error.in_doubt |= self._in_doubt
            for secret in self.client.secrets:
                error.message = error.message.replace(secret, "[secret]")
            raise

    def _attempt(self) -> Result:
        if self._in_doubt and self.look is not None:
            if (found := self.look()) is not None:
                return self.read(found)
            self._in_doubt = False
        self._number += 1
        begun, self._begun = self._begun, None
        try:
            return self.read(begun.result() if begun else self._exchange())
        except CancelledError:
            raise self._canceled(why="the client was closed") from None
        except WireError as error:
            if self.policy.already_is_done and self._lost and error.code in ALREADY_CODES:
                return self.read({})
            error.in_doubt &= not (self.policy.trusts_bare_503 and error.is_bare_503)
            self._lost += error.in_doubt
            self._in_doubt |= error.in_doubt
            raise

    def _exchange(self) -> Message:
        """Send the request and return what its reply holds. Raises `WireError`."""
        if self.service.is_closed:
            raise self._canceled(why="its trial has ended")
        deadline_s = self.policy.deadline_s
        headers = _HEADERS | {"connect-timeout-ms": f"{max(1, int(deadline_s * 1000))}"}
        url, body = f"{self.service.url}/{self.method}", _encoded(self.message).encode()
        try:
            reply = self.client.post(url, headers, body, deadline_s)
        except (OSError, RuntimeError, ValueError, ReplyTooLong, *_BROKEN) as error:
            raise _lost(self.method, error, self.service.base_url, deadline_s) from None
        return _read(self.method, reply, self.client.secrets)

    def _canceled(self, *, why: str) -> WireError:
        msg = f"{self.method} was given up: {why}"
        return WireError(error_codes.CANCELED, msg, in_doubt=self._in_doubt, transient=False)

    def _may_repeat(self, error: Exception) -> bool:
        if not isinstance(error, WireError) or not error.transient or self.client.is_stopping:
            return False
        asked_s, left_s = error.retry_after_s, self.policy.ends_at - time.monotonic()
        # Most seconds in total that one call waits at the server's request.
        if left_s <= 0 or (asked_s is not None and asked_s > min(left_s, 300.0 - self._waited_s)):
            return False
        if asked_s is None and self._number >= ATTEMPTS.get(error.code, UNLIMITED):
            return False
        if error.is_foreign and not self.policy.trusts_address:
            return False
        return not error.in_doubt or self._lost <= self.policy.doubts

    def _pause(self, failed: FailedAttempt) -> bool:
        asked_s = named_pause_s(failed.error) or 0.0
        failing_s = time.monotonic() - self._began_at - self._waited_s
        if asked_s >= bounds.NOTICE_AFTER_S:
            self.client.notice(f"the platform asks to wait {asked_s:.0f} s with {self.method}")
        elif failing_s >= bounds.NOTICE_AFTER_S:
            self.client.notice(
                f"{self.method} has been failing for {failing_s:.0f} s and is retried for {self.policy.retry_s:g} s: "
                f"{failed.error}"
            )
        self._waited_s += asked_s
        return self.client.wait(asked_s or failed.pause_s)
