"""Explains HTTP exchanges that ended without a reply, and what the user can do about it.

They raise a chain of exceptions: that of OpenAI's library, its cause in the HTTP client
(`httpx2`), and the cause of this in the operating system. `connection_error` makes one
line of them, such as `the model endpoint http://127.0.0.1:8080 cannot be reached
(Connection refused); is the server running, ...?`.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import httpx2

from controlplane.agent.endpoint.bounded_client import ReplyTooLong
from controlplane.agent.model import ModelError
from controlplane.sandbox.interface import bounds

CHECK_ADDRESS: Final = "is OPENAI_BASE_URL right"


@dataclass(frozen=True, slots=True)
class Breakage:
    """What broke."""

    text: str
    """What happened, to follow the endpoint's name: `cannot be reached`."""
    remedy: str
    """What the user can do or check."""
    may_pass: bool = True
    """True if the same request may succeed later."""


def connection_error(
    error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]
) -> ModelError:
    """Return the error of an exchange that ended without a reply.

    Args:
        error: The exception of OpenAI's library.
        where: The endpoint, for the user.
        timeout_s: The time limit of the exchange, in seconds.
        clean: Removes secrets from a text.
    """
    exceptions = causes_of(error)

    # 1. The HTTP client's exception tells in which phase the exchange failed.
    http_error: BaseException = error
    for exception in exceptions:
        if isinstance(exception, httpx2.HTTPError | httpx2.InvalidURL):
            http_error = exception
            break

    # 2. The cause is the operating system's exception; without one, the innermost exception.
    root_cause = exceptions[-1]
    for exception in exceptions:
        if isinstance(exception, OSError):
            root_cause = exception
            break

    # 3. Show the text of the cause. Only for a failed proxy, show the HTTP
    # client's text, because the operating system's text does not mention the proxy.
    is_proxy_failure = isinstance(http_error, httpx2.ProxyError)
    reason = str(http_error if is_proxy_failure else root_cause)
    reason = clean(" ".join(reason.split()))
    if not reason:
        reason = type(root_cause).__name__

    # 4. Every trial uses the same endpoint, so all of them meet this error (`affects_all`).
    breakage = breakage_of(http_error, root_cause, reason, timeout_s)
    text = f"{where} {breakage.text}; {breakage.remedy}"
    return ModelError(text, retryable=breakage.may_pass, affects_all=True)


def causes_of(error: BaseException) -> list[BaseException]:
    """Return an exception and the exceptions that led to it, the innermost last."""
    chain = [error]
    cause = error.__cause__ or error.__context__
    while cause is not None:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    return chain


def breakage_of(
    http_error: BaseException, root_cause: BaseException, reason: str, timeout_s: float
) -> Breakage:
    """Return what broke, and what to do about it.

    The order matters: special cases come before general ones. For example, a
    `ConnectTimeout` is also a `TimeoutException`, and a host name that is not found
    (`gaierror`) also gives a `ConnectError`.
    """
    # The reply came too late or is too long.
    if isinstance(http_error, ReplyTooLong):
        mebibytes = bounds.MOST_REPLY_BYTES // 2**20
        return Breakage(f"sent more than {mebibytes} MiB", f"{CHECK_ADDRESS}?")
    if isinstance(http_error, httpx2.ConnectTimeout):
        text = "cannot be reached (no connection in time)"
        return Breakage(text, f"is the server up, and {CHECK_ADDRESS}?")
    if isinstance(http_error, httpx2.TimeoutException):
        text = f"did not answer within {timeout_s:g} s"
        return Breakage(text, "a slow model needs a longer --model-timeout")

    # The address cannot be used.
    if isinstance(
        http_error,
        httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | httpx2.InvalidURL,
    ):
        remedy = "set OPENAI_BASE_URL to one that begins with https://"
        return Breakage("is not an address", remedy, may_pass=False)

    # There is no encrypted connection.
    if isinstance(root_cause, ssl.SSLCertVerificationError):
        text = f"has a certificate that is not trusted ({reason})"
        remedy = "set SSL_CERT_FILE to its authority's certificate"
        return Breakage(text, remedy, may_pass=False)
    if isinstance(root_cause, ssl.SSLError):
        text = f"does not speak TLS there ({reason})"
        return Breakage(
            text, "should OPENAI_BASE_URL begin with http://?", may_pass=False
        )

    # There is no connection.
    if isinstance(http_error, httpx2.ProxyError):
        text = f"cannot be reached through the proxy ({reason})"
        return Breakage(
            text, "fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY"
        )
    if isinstance(root_cause, socket.gaierror):
        text = f"has a host name that is not found ({reason})"
        return Breakage(text, f"{CHECK_ADDRESS}, and is the network up?")
    if isinstance(http_error, httpx2.ConnectError):
        text = f"cannot be reached ({reason})"
        return Breakage(text, f"is the server running, and {CHECK_ADDRESS}?")

    return Breakage(f"broke off ({reason})", "is the server still running?")
