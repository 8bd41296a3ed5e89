"""Calls of the platform, and how often they are repeated."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Final, Generic, Self, TypeVar

from controlplane.agent.retry import RetryPolicy, named_pause_s, retry_after_s
from controlplane.benchmarks.bitgn.client.connection import (
    ALREADY_CODES,
    BROKEN_CONNECTION,
    EXCHANGE_ERRORS,
    HttpReply,
    Message,
    PlatformReplyTooLong,
    Sender,
    Service,
    WireError,
    foreign_reply,
)
from controlplane.sandbox.interface import Plain, bounds, error_codes
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# How long and how often one kind of call of the platform is repeated after failures.
#
#     read a file                      for 40 seconds
#     start a run                      for 60 seconds, but after a lost reply only once
#     run a tool that places an order  for 40 seconds, but never after a lost reply
#
# After a lost reply, nobody knows whether the platform has carried out the call: the call is
# "in doubt". Reading a file twice does no harm; placing an order twice does.

_NO_LIMIT: Final = 1_000_000
"""A number of attempts or repeats that no call reaches."""


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How long and how often one kind of call is repeated."""

    deadline_s: float
    """The time limit of one attempt in seconds, including the body of the reply."""
    retry_s: float
    """The retry time: seconds after which a failure is final.

    Pauses that the server requests do not count.
    """
    ends_at: float = math.inf
    """The time, by `time.monotonic`, after which the call is not repeated."""
    max_repeats_in_doubt: int = _NO_LIMIT
    """How often the call is repeated after lost replies; 0 if it must not happen twice."""
    retries_foreign_replies: bool = True
    """True to repeat the call after a reply of another sender, such as a proxy's page.

    False for the first calls: if the platform has never replied, its address is probably
    wrong.
    """
    trusts_plain_503: bool = False
    """True to assume that a call had no effect after a 503 that may come from a proxy.

    The platform's own replies have a code such as `unavailable`; a plain 503 has none.
    Usually a proxy sends it instead of passing the call on. But some proxies have passed
    it on, so set this only for calls that may happen twice.
    """
    accepts_already_done: bool = False
    """True if a repeated call that is refused as "already done" counts as successful.

    Then an earlier attempt did the work, and only its reply was lost.
    """


# The errors of calls that got no complete reply, as exceptions of the HTTP client report it.
#
#     exception              code                 carried out?
#     no connection          unavailable          no
#     timeout                deadline_exceeded    perhaps: the call is "in doubt"
#     reply too long         internal             perhaps
#     connection broke       unavailable          perhaps
#     invalid address        invalid_argument     no
#
# The message names the remedy: "is BITGN_HOST right, and is the network up?"

_REMEDIES: Final = {
    "certificate": (  # BITGN_HOST may have another name than the server's certificate.
        "; set SSL_CERT_FILE to its authority's certificate, or BITGN_HOST to the name that it has"
    ),
    "tunnel error": "; mend HTTPS_PROXY, or name the host in NO_PROXY",
    "dns error": "; is BITGN_HOST right, and is the network up?",
}
"""What is appended to the error of a failed connection, by a phrase of the client's text."""


def _error_without_reply(
    method: str, error: Exception, host: str, deadline_s: float
) -> WireError:
    """Return the error for an exception of `PlatformClient.post`.

    `method` is that of the call, such as `Read`.
    """
    # The client's texts begin with its layers: `error sending request for url
    # (https://x/): dns error: no record found` -> `dns error: no record found`
    reason = str(error).rpartition("): ")[2]
    if isinstance(error, ConnectionError):
        # With an invalid certificate or without TLS, another attempt would fail, too. A server
        # without TLS is reported as a corrupt message.
        is_about_tls = "certificate" in reason or "corrupt message" in reason
        msg = f"{host} cannot be reached: {reason}"
        for phrase, remedy in _REMEDIES.items():
            if phrase in reason:
                msg += remedy
                break
        return WireError(
            error_codes.UNAVAILABLE, msg, in_doubt=False, transient=not is_about_tls
        )
    if isinstance(error, TimeoutError):
        msg = f"{method} had no complete reply in {deadline_s:g} s"
        return WireError(error_codes.DEADLINE_EXCEEDED, msg, in_doubt=True)
    if isinstance(error, PlatformReplyTooLong):
        msg = f"the reply of {method} {error}"
        return WireError(error_codes.INTERNAL, msg, in_doubt=True)
    if isinstance(error, BROKEN_CONNECTION):
        msg = f"the connection was lost during {method}: {reason}"
        return WireError(error_codes.UNAVAILABLE, msg, in_doubt=True)
    # Only an invalid address is left.
    msg = (
        f"{host} is not the URL of a platform: {reason}; "
        "set BITGN_HOST to one that begins with https://"
    )
    return WireError(error_codes.INVALID_ARGUMENT, msg, in_doubt=False)


# The text of a reply: parsed as JSON, or shortened for an error that shows it.
#
# Replies come from outside, so one that has too many parts is not parsed, and an error
# shows only the beginning of the page that a wrong address sent: `: 404 Not Found nginx`.

_MAX_PARTS: Final = 1_000_000
"""The most objects and lists in a reply. `[]` has two bytes in a reply, but 56 in memory."""
_MAX_EXCERPT_CHARS: Final = 120
"""The most characters of an unreadable reply that an error shows."""


def _parsed_json(content: bytes) -> Plain:
    """Return the parsed JSON; None if it is invalid or has too many parts."""
    if content.count(b"{") + content.count(b"[") > _MAX_PARTS:
        return None
    try:
        document: Plain = read_json(content)
    except Unreadable:
        return None
    return document


def _excerpt_of(content: bytes) -> str:
    """Return `: ` and the beginning of a reply's text without HTML tags; empty if there is none."""
    beginning = content[:2000].decode(errors="replace")
    without_tags = re.sub(r"<[^>]*>|\s+", " ", beginning)
    text = " ".join(without_tags.split())[:_MAX_EXCERPT_CHARS]
    return f": {text}" if text else ""


# The errors that replies with a status other than 200 report.
#
# The platform's own refusals have a code: `{"code": "not_found", "message": "..."}`. An error
# reply without a code of the protocol was not sent by the platform, but by a proxy, a load
# balancer or another site. Its status tells whether the call may have been carried out.

_PROTOCOL_CODES: Final = frozenset(
    {
        error_codes.ABORTED,
        error_codes.ALREADY_EXISTS,
        error_codes.CANCELED,
        error_codes.DATA_LOSS,
        error_codes.DEADLINE_EXCEEDED,
        error_codes.FAILED_PRECONDITION,
        error_codes.INTERNAL,
        error_codes.INVALID_ARGUMENT,
        error_codes.NOT_FOUND,
        error_codes.PERMISSION_DENIED,
        error_codes.RESOURCE_EXHAUSTED,
        error_codes.UNAUTHENTICATED,
        error_codes.UNAVAILABLE,
        error_codes.UNIMPLEMENTED,
        error_codes.UNKNOWN,
        "out_of_range",  # It has no constant in `error_codes`, because no environment uses it.
    }
)
"""The codes of the Connect protocol. Proxies and load balancers do not send them."""
_REFUSING_STATUSES: Final = (401, 403, 404, 405, 407, 415, 421, 425, 451)
"""Statuses of a site that has not carried out a call, and is probably not the platform."""
_MAX_LOCATION_CHARS: Final = 200
"""The most characters of a redirect's target that an error shows."""


def _refusal_of(
    method: str, status: int, headers: Mapping[str, str], content: bytes
) -> WireError:
    """Return the error for a reply with a status other than 200."""
    reply = _parsed_json(content)
    if not isinstance(reply, dict) or reply.get("code") not in _PROTOCOL_CODES:
        return _refusal_without_code(method, status, headers, content)
    message = str(reply.get("message") or f"{method} was refused with status {status}")
    return WireError(
        str(reply["code"]),
        message[: bounds.MOST_REFUSAL_CHARS],
        retry_after_s=retry_after_s(headers),
    )


def _refusal_without_code(
    method: str, status: int, headers: Mapping[str, str], content: bytes
) -> WireError:
    """Return the error for a reply that a proxy or another site may have sent."""
    requested_pause_s = retry_after_s(headers)

    # What the status means, and whether the call may have been carried out
    sender = Sender.PLATFORM
    in_doubt = False
    if status in (400, 413, 414, 431):  # The request is malformed or too large.
        code = error_codes.INVALID_ARGUMENT
    elif status == 408:  # The request did not arrive in time, or not all of it.
        code = error_codes.DEADLINE_EXCEEDED
        in_doubt = True
    elif status == 429:  # There were too many requests.
        code = error_codes.RESOURCE_EXHAUSTED
    elif status == 500:  # The server failed.
        code = error_codes.INTERNAL
        in_doubt = True
    else:
        code = error_codes.UNAVAILABLE
        if status == 503:
            # A server that is too busy sends Retry-After, and has not begun the call. A
            # proxy sends none; it may have lost the connection after the call had begun.
            in_doubt = requested_pause_s is None
            sender = Sender.PERHAPS_A_PROXY
        else:
            # The address is wrong: a login page, a missing page, a redirect, or an unusual
            # status. Or a server is down, such as with 502.
            in_doubt = status not in _REFUSING_STATUSES
            if status < 500:
                sender = Sender.ANOTHER_SITE

    target = ""
    if 300 <= status < 400 and "location" in headers:
        target = f" to {headers['location'][:_MAX_LOCATION_CHARS]}"
    message = (
        f"{method} was answered with status {status}{target}{_excerpt_of(content)}"
    )
    if sender is Sender.ANOTHER_SITE:
        message += "; is the host right?"
    return WireError(
        code,
        message,
        in_doubt=in_doubt,
        sender=sender,
        retry_after_s=requested_pause_s,
    )


# Read a reply of the platform: its message, or the error that it reports.
#
# The status 200 and JSON of the form `{"runId": "..."}` are a message. Anything else is an
# error: a refusal by the platform, a damaged reply, or the page of another site.


def message_of(method: str, reply: HttpReply, secrets: tuple[str, ...]) -> Message:
    """Return the message in the reply to a call. Raises `WireError`.

    A reply that another site seems to have sent is a `foreign_reply`, and a damaged one an
    internal error of the platform. The call's policy decides which is tried again.
    `secrets` are removed first, so that no error or journal repeats them.
    """
    content = reply.content
    for secret in secrets:
        content = content.replace(secret.encode(), b"[secret]")
    if reply.status != 200:
        raise _refusal_of(method, reply.status, reply.headers, content)

    content_type = (
        reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    )
    if content_type != "application/json":
        shown_type = content_type or "of no type"
        msg = f"the reply of {method} is {shown_type}, not JSON; is the host right?"
        raise foreign_reply(msg + _excerpt_of(content))
    message = _parsed_json(content)
    if message is None:
        # The platform sends JSON, so this is probably its reply, but damaged.
        msg = f"the reply of {method} is not JSON{_excerpt_of(content)}"
        raise WireError(error_codes.INTERNAL, msg)
    if not isinstance(message, dict):
        msg = f"the reply of {method} is not a JSON object{_excerpt_of(content)}"
        raise foreign_reply(msg)
    return message


# One request to a service of the platform, in the Connect protocol with a JSON body.
#
# For example, `StartTrial` with `{"trialId": "x4T"}` is sent to
# `https://api.bitgn.com/bitgn.harness.HarnessService/StartTrial`.

HEADERS: Final = {
    "user-agent": "grounded-control-plane",
    "content-type": "application/json",
    "connect-protocol-version": "1",
}
_ENDED: Final = "its trial has ended"


@dataclass(frozen=True, slots=True)
class PlatformRequest:
    """A request, which may be sent more than once."""

    service: Service
    """Where it is sent."""
    method: str
    """The method of the service, such as `StartRun`."""
    message: Mapping[str, Plain]

    def send(self, deadline_s: float) -> Message:
        """Send the request once and return the message of its reply. Raises `WireError`.

        The complete reply must arrive within `deadline_s` seconds.
        """
        if self.service.is_closed:
            raise self.given_up(_ENDED)
        try:
            reply = self._post(deadline_s)
        except EXCHANGE_ERRORS as error:
            host = self.service.base_url
            raise _error_without_reply(self.method, error, host, deadline_s) from None
        return message_of(self.method, reply, self.service.client.secrets)

    def _post(self, deadline_s: float) -> HttpReply:
        """Send the request. Raises the errors of `PlatformClient.post`."""
        deadline_ms = max(1, int(deadline_s * 1000))
        headers = {**HEADERS, "connect-timeout-ms": str(deadline_ms)}
        url = f"{self.service.url}/{self.method}"
        body = json.dumps(self.message, separators=(",", ":")).encode()
        return self.service.client.post(url, headers, body, deadline_s)

    def given_up(self, reason: str) -> WireError:
        """Return the error of a request that was not sent."""
        msg = f"{self.method} was given up: {reason}"
        # It has taken no effect (not in doubt), and another attempt would fail, too.
        return WireError(error_codes.CANCELED, msg, in_doubt=False, transient=False)


# A call of the platform: a request that is repeated, as its policy allows, until it succeeds.
#
#     refused as `unavailable`                    -> a short random pause, such as 0.4 s
#     refused as busy, with `retry-after: 60`     -> 60 s, as the server requests
#     refused as `not_found`                      -> no pause: the call is not repeated
#
# A call is "in doubt" if a reply was lost, so that nobody knows whether it took effect. Some
# calls can find out before they are repeated: after a lost reply to a write, the file is read.

_MAX_FAILURES: Final = {
    error_codes.INTERNAL: 3,  # A fault of the server: it may occur again and again.
    error_codes.CANCELED: 3,  # The server gave the call up.
    error_codes.RESOURCE_EXHAUSTED: 6,  # Too many calls in a trial.
}
"""The number of failures after which a call is not repeated, by the code of the last one.

After other codes, and if the server requests a pause, only the time is limited.
"""
_FIRST_PAUSE_S: Final = 0.2
"""The longest random pause after the first attempt. It doubles with each further attempt."""
_LONGEST_PAUSE_S: Final = 5.0
_MAX_REQUESTED_PAUSES_S: Final = 300.0
"""The longest total time that one call waits because the server requested it."""
_CLOSED: Final = "the client was closed"

_Result = TypeVar("_Result")


class Call(Generic[_Result]):
    """One call of the platform, repeated after failures as its policy allows.

    `finish` makes the call and returns its result. `begin` may start the first attempt earlier in
    another thread: so a trial begins several reads at once and then waits for each. If that
    attempt fails, the caller waits anyway, so it sends the others itself.
    """

    def __init__(
        self,
        request: PlatformRequest,
        policy: CallPolicy,
        parse_reply: Callable[[Message], _Result],
        before_repeat: Callable[[], Message | None] | None = None,
    ) -> None:
        """Set up the call, without making it.

        Args:
            request: What is sent.
            policy: How often the call is retried.
            parse_reply: Returns the result in a reply. Raises `WireError` if the reply
                is malformed.
            before_repeat: Finds out, after a lost reply, whether the call took effect.
                Returns that reply if it did, or None to repeat the call.
        """
        self.request = request
        self._policy = policy
        self._client = request.service.client
        self._parse_reply = parse_reply
        self._before_repeat = before_repeat
        self._first_reply: Future[Message] | None = None
        """The reply to the first attempt, from `begin` until it is taken."""
        self._created_at = time.monotonic()
        """About the time of the first attempt, which `begin` may make long before `finish`."""
        self._retried_since = self._created_at
        """The start of the retry time: when the caller began to wait for the result."""
        self._attempts = 0
        """The number of attempts since then, including the present one."""
        self._failures = 0
        """The number of requests that failed.

        An attempt that first looks whether an earlier one took effect, and fails at that, sends
        no request.
        """
        self._lost_replies = 0
        """The number of failures that left open whether the call took effect."""
        self._is_in_doubt = False
        """True from a lost reply until it is found out that the call had no effect."""
        self._requested_pauses_s = 0.0
        """The total of the pauses that the server requested."""

    def begin(self) -> Self:
        """Start the first attempt in another thread. Raises `WireError` if the client is closed."""
        threads = self._client.parallel_calls
        try:
            self._first_reply = threads.submit(
                self.request.send, self._policy.deadline_s
            )
        except RuntimeError:  # The threads were shut down.
            raise self.request.given_up(_CLOSED) from None
        return self

    def finish(self) -> _Result:
        """Make the call, with retries, and return its result.

        Raises `WireError` if it is refused, or if its policy allows no more attempts. After that
        it may be called again: with a new retry time, and what is left of the failures and pauses.
        """
        self._attempts = 0
        self._retried_since = time.monotonic()
        while True:
            self._attempts += 1
            try:
                return self._attempt()
            except WireError as error:
                if self._wait_before_repeat(error):
                    continue
                # The last attempt may be refused, and an earlier one have taken effect.
                error.in_doubt = error.in_doubt or self._is_in_doubt
                error.message = self._client.without_secrets(error.message)
                raise

    def _attempt(self) -> _Result:
        """Make one attempt and return its result. Raises `WireError`.

        If it turns out that an earlier attempt took effect, return what that one's lost
        reply said.
        """
        if self._is_in_doubt and self._before_repeat is not None:
            lost_reply = self._before_repeat()
            if lost_reply is not None:
                return self._parse_reply(lost_reply)
            self._is_in_doubt = False  # The earlier attempts had no effect.

        try:
            return self._parse_reply(self._reply())
        except WireError as error:
            # If no reply was lost, somebody else has done what is "already done".
            is_already_done = self._lost_replies > 0 and error.code in ALREADY_CODES
            if is_already_done and self._policy.accepts_already_done:
                # Calls that accept "already done" have an empty reply, so the lost one was, too.
                return self._parse_reply({})
            self._record_failure(error)
            raise

    def _reply(self) -> Message:
        """Return the reply to the attempt that `begin` started, or else to a new one.

        Raises `WireError`.
        """
        if self._first_reply is None:
            return self.request.send(self._policy.deadline_s)
        first_reply = self._first_reply
        self._first_reply = None  # The next attempt sends a new request.
        try:
            return first_reply.result()
        except CancelledError:
            raise self.request.given_up(_CLOSED) from None

    def _record_failure(self, error: WireError) -> None:
        """Count a request that failed.

        If the policy trusts that a plain 503 has no effect, `error.in_doubt` becomes False.
        """
        self._failures += 1
        if error.sender is Sender.PERHAPS_A_PROXY and self._policy.trusts_plain_503:
            error.in_doubt = False
        if error.in_doubt:
            self._lost_replies += 1
            self._is_in_doubt = True

    def _wait_before_repeat(self, error: WireError) -> bool:
        """Wait before the next attempt. Return False if there must not be one.

        That is so if the policy allows no other, or if the run is being stopped.
        """
        if self._client.is_stopping or not self._may_repeat_after(error):
            return False
        used_s = time.monotonic() - self._retried_since - self._requested_pauses_s
        remaining_s = self._policy.retry_s - used_s
        if remaining_s <= 0:
            return False

        # A pause that the server requests does not use up the retry time.
        requested_s = named_pause_s(error)
        self._tell_of_long_wait(error, requested_s)
        if requested_s is None:
            pauses = RetryPolicy(self._policy.retry_s, _FIRST_PAUSE_S, _LONGEST_PAUSE_S)
            pause_s = min(pauses.backoff_s(self._attempts), remaining_s)
        else:
            pause_s = requested_s
            self._requested_pauses_s += requested_s
        was_stopped = self._client.wait(pause_s)
        return not was_stopped

    def _may_repeat_after(self, error: WireError) -> bool:
        """Return True if the policy allows another attempt after an error.

        It does not if the call has failed too often, or would wait for too long.
        """
        policy = self._policy
        if not error.transient:
            return False
        is_foreign = error.sender is Sender.ANOTHER_SITE
        if is_foreign and not policy.retries_foreign_replies:
            return False
        if error.in_doubt and self._lost_replies > policy.max_repeats_in_doubt:
            return False

        remaining_s = policy.ends_at - time.monotonic()
        if remaining_s <= 0:
            return False
        requested_s = error.retry_after_s
        if requested_s is None:
            return self._failures < _MAX_FAILURES.get(error.code, _NO_LIMIT)
        remaining_pauses_s = _MAX_REQUESTED_PAUSES_S - self._requested_pauses_s
        return requested_s <= min(remaining_s, remaining_pauses_s)

    def _tell_of_long_wait(self, error: WireError, requested_s: float | None) -> None:
        """Tell the user about a long pause, or about a call that fails for long."""
        method = self.request.method
        failing_s = time.monotonic() - self._created_at - self._requested_pauses_s
        if requested_s is not None and requested_s >= bounds.NOTICE_AFTER_S:
            self._client.notice(
                f"the platform asks to wait {requested_s:.0f} s with {method}"
            )
        elif failing_s >= bounds.NOTICE_AFTER_S:
            self._client.notice(
                f"{method} has been failing for {failing_s:.0f} s "
                f"and is retried for {self._policy.retry_s:g} s: {error}"
            )
