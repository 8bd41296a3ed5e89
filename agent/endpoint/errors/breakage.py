"""What broke in an HTTP exchange with an endpoint, and what the user can do about it.

A refused connection is the breakage `cannot be reached (Connection refused)` with the remedy
`is the server running, and is OPENAI_BASE_URL right?`
"""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from typing import Final

import httpx2

from controlplane.agent.endpoint.bounded_body import ReplyTooLong
from controlplane.agent.endpoint.errors.causes import Causes
from controlplane.sandbox.interface import bounds

CHECK_ADDRESS: Final = "is OPENAI_BASE_URL right"
"""A question to the user, without its end: `is the server up, and is OPENAI_BASE_URL right?`"""


@dataclass(frozen=True, slots=True)
class Breakage:
    """What broke in an exchange with an endpoint, and what the user can do about it."""

    text: str
    """What happened, to follow the endpoint's name: `cannot be reached`."""
    remedy: str
    """What the user can do or check."""
    retryable: bool = True
    """True if the fault may pass, so that the same request is retried."""


def breakage_of(causes: Causes, reason: str, timeout_s: float) -> Breakage:
    """Return what broke in an exchange with an endpoint, and what the user can do about it.

    `reason` is the text of the causes as the user may see it: `Connection refused` gives
    `cannot be reached (Connection refused)` and `is the server running, ...?`.
    """
    return (
        _breakage_of_limit(causes, timeout_s)
        or _breakage_of_address(causes)
        or _breakage_of_encryption(causes, reason)
        or _breakage_of_connection(causes, reason)
        or Breakage(f"broke off ({reason})", "is the server still running?")
    )


def _breakage_of_limit(causes: Causes, timeout_s: float) -> Breakage | None:
    """Return what broke if the reply came too late or is too long; else None."""
    if isinstance(causes.http_error, ReplyTooLong):
        mebibytes = bounds.MOST_REPLY_BYTES // 2**20
        return Breakage(f"sent more than {mebibytes} MiB", f"{CHECK_ADDRESS}?")
    # The special case comes first: a `ConnectTimeout` is also a `TimeoutException`.
    if isinstance(causes.http_error, httpx2.ConnectTimeout):
        text = "cannot be reached (no connection in time)"
        return Breakage(text, f"is the server up, and {CHECK_ADDRESS}?")
    if isinstance(causes.http_error, httpx2.TimeoutException):
        text = f"did not answer within {timeout_s:g} s"
        return Breakage(text, "a slow model needs a longer --model-timeout")
    return None


def _breakage_of_address(causes: Causes) -> Breakage | None:
    """Return what broke if the address cannot be used, such as `localhost`; else None."""
    unusable = (
        httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | httpx2.InvalidURL
    )
    if not isinstance(causes.http_error, unusable):
        return None
    remedy = "set OPENAI_BASE_URL to one that begins with https://"
    return Breakage("is not an address", remedy, retryable=False)


def _breakage_of_encryption(causes: Causes, reason: str) -> Breakage | None:
    """Return what broke if there is no encrypted connection; else None."""
    if isinstance(causes.root_cause, ssl.SSLCertVerificationError):
        text = f"has a certificate that is not trusted ({reason})"
        remedy = "set SSL_CERT_FILE to its authority's certificate"
        return Breakage(text, remedy, retryable=False)
    if isinstance(causes.root_cause, ssl.SSLError):
        text = f"does not speak TLS there ({reason})"
        remedy = "should OPENAI_BASE_URL begin with http://?"
        return Breakage(text, remedy, retryable=False)
    return None


def _breakage_of_connection(causes: Causes, reason: str) -> Breakage | None:
    """Return what broke if there is no connection at all; else None."""
    if isinstance(causes.http_error, httpx2.ProxyError):
        text = f"cannot be reached through the proxy ({reason})"
        remedy = "fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY"
        return Breakage(text, remedy)
    # The special case comes first: a host name that is not found also gives a `ConnectError`.
    if isinstance(causes.root_cause, socket.gaierror):
        text = f"has a host name that is not found ({reason})"
        return Breakage(text, f"{CHECK_ADDRESS}, and is the network up?")
    if isinstance(causes.http_error, httpx2.ConnectError):
        text = f"cannot be reached ({reason})"
        return Breakage(text, f"is the server running, and {CHECK_ADDRESS}?")
    return None
