"""Explains HTTP exchanges that ended without a reply: what broke, and what the user can do about
it.

The library wraps a failure in a chain of exceptions. `connection_error` walks this chain and
returns a `ModelError` with one line, such as `the model endpoint http://127.0.0.1:8080 cannot be
reached (Connection refused); is the server running, ...?`.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import httpx2

from controlplane.agent.model import ModelError
from controlplane.sandbox.interface import bounds

CHECK_ADDRESS: Final = "is OPENAI_BASE_URL right"
TOO_LONG: Final = "longer than"
"""`BoundedClient` uses these words in its message about a reply with too many bytes."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """What broke."""

    text: str
    """The explanation, to follow the endpoint's name."""
    may_pass: bool
    """True if the same request may succeed later."""


def connection_error(
    error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]
) -> ModelError:
    """Return the error of an exchange that ended without a reply.

    Args:
        error: The exception of the library.
        where: The endpoint, for the user.
        timeout_s: The time limit of the exchange, in seconds.
        clean: Removes secrets from a text.
    """
    chain = causes_of(error)

    # 1. The HTTP client's exception tells in which phase the exchange failed.
    http_error: BaseException = error
    for exception in chain:
        if isinstance(exception, httpx2.HTTPError | httpx2.InvalidURL):
            http_error = exception
            break

    # 2. The operating system's exception tells the cause, or else the innermost exception does.
    root_cause = chain[-1]
    for exception in chain:
        if isinstance(exception, OSError):
            root_cause = exception
            break

    # 3. For a failed proxy, show the client's text, because the system's text does not mention the
    # proxy.
    is_proxy_failure = isinstance(http_error, httpx2.ProxyError)
    reason = str(http_error if is_proxy_failure else root_cause)
    reason = clean(" ".join(reason.split()))
    if not reason:
        reason = type(root_cause).__name__

    breakage = breakage_of(http_error, root_cause, reason, timeout_s)
    return ModelError(f"{where} {breakage.text}", retryable=breakage.may_pass, affects_all=True)


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
    """Return what broke, and what to do about it. Special cases come before the general ones."""
    if TOO_LONG in str(http_error):
        mebibytes = bounds.MOST_REPLY_BYTES // 2**20
        return Breakage(f"sent more than {mebibytes} MiB; {CHECK_ADDRESS}?", may_pass=True)

    match http_error:
        case httpx2.ConnectTimeout():
            text = "cannot be reached (no connection in time); "
            text += f"is the server up, and {CHECK_ADDRESS}?"
            return Breakage(text, may_pass=True)
        case httpx2.TimeoutException():
            text = f"did not answer within {timeout_s:g} s; "
            text += "a slow model needs a longer --model-timeout"
            return Breakage(text, may_pass=True)
        case httpx2.UnsupportedProtocol() | httpx2.LocalProtocolError() | httpx2.InvalidURL():
            text = "is not an address; set OPENAI_BASE_URL to one that begins with https://"
            return Breakage(text, may_pass=False)

    match root_cause:
        case ssl.SSLCertVerificationError():
            text = f"has a certificate that is not trusted ({reason}); "
            text += "set SSL_CERT_FILE to its authority's certificate"
            return Breakage(text, may_pass=False)
        case ssl.SSLError():
            text = f"does not speak TLS there ({reason}); "
            text += "should OPENAI_BASE_URL begin with http://?"
            return Breakage(text, may_pass=False)

    if isinstance(http_error, httpx2.ProxyError):
        text = f"cannot be reached through the proxy ({reason}); "
        text += "fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY"
        return Breakage(text, may_pass=True)
    if isinstance(root_cause, socket.gaierror):
        text = f"has a host name that is not found ({reason}); "
        text += f"{CHECK_ADDRESS}, and is the network up?"
        return Breakage(text, may_pass=True)
    if isinstance(http_error, httpx2.ConnectError):
        text = f"cannot be reached ({reason}); is the server running, and {CHECK_ADDRESS}?"
        return Breakage(text, may_pass=True)
    return Breakage(f"broke off ({reason}); is the server still running?", may_pass=True)
