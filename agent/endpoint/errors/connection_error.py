"""Explains HTTP exchanges that ended without a reply, and what the user can do about it.

They raise a chain of exceptions: that of OpenAI's library, its cause in the HTTP client
(`httpx2`), and the cause of this in the operating system. `connection_error` makes one
line of them, such as `the model endpoint http://127.0.0.1:8080 cannot be reached
(Connection refused); is the server running, ...?`.
"""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from typing import Final

import httpx2

from controlplane.agent.endpoint.bounded_body import ReplyTooLong
from controlplane.agent.endpoint.secret_texts import Secrets
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import ModelError
from controlplane.sandbox.interface import bounds

CHECK_ADDRESS: Final = "is OPENAI_BASE_URL right"
"""A question to the user, without its end: `is the server up, and is OPENAI_BASE_URL right?`"""


@dataclass(frozen=True, slots=True)
class Causes:
    """The exceptions that tell why an exchange failed."""

    http_error: BaseException
    """The HTTP client's exception, which tells in which phase the exchange failed."""
    root_cause: BaseException
    """The operating system's exception; without one, the innermost exception."""

    @classmethod
    def of(cls, error: BaseException) -> Causes:
        """Return the causes of an exception of OpenAI's library."""
        exceptions = chain_of(error)
        http_error = error
        for exception in exceptions:
            if isinstance(exception, httpx2.HTTPError | httpx2.InvalidURL):
                http_error = exception
                break
        root_cause = exceptions[-1]
        # The first `OSError` is the one that the HTTP client has met.
        for exception in exceptions:
            if isinstance(exception, OSError):
                root_cause = exception
                break
        return cls(http_error, root_cause)

    @property
    def text(self) -> str:
        """The text of the root cause on one line, or its type if it has no text."""
        shown = self.root_cause
        if isinstance(self.http_error, httpx2.ProxyError):
            # The operating system's text does not mention the proxy.
            shown = self.http_error
        line = " ".join(str(shown).split())
        return line or type(self.root_cause).__name__


def chain_of(error: BaseException) -> list[BaseException]:
    """Return an exception and the exceptions that led to it, the innermost last."""
    chain = [error]
    cause = error.__cause__ or error.__context__
    while cause is not None:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    return chain


@dataclass(frozen=True, slots=True)
class Breakage:
    """What broke in an exchange with an endpoint, and what the user can do about it."""

    text: str
    """What happened, to follow the endpoint's name: `cannot be reached`."""
    remedy: str
    """What the user can do or check."""
    retryable: bool = True
    """True if the fault may pass, so that the same request is retried."""


def connection_error(
    error: Exception, settings: EndpointSettings, secrets: Secrets
) -> ModelError:
    """Return the error of an exchange that ended without a reply.

    `error` is the exception of OpenAI's library.
    """
    causes = Causes.of(error)
    reason = secrets.removed_from(causes.text)
    breakage = breakage_of(causes, reason, settings.timeout_s)
    text = f"{settings.shown_name} {breakage.text}; {breakage.remedy}"
    # All trials meet the error, because they all use this endpoint.
    return ModelError(text, retryable=breakage.retryable, affects_all=True)


def breakage_of(causes: Causes, reason: str, timeout_s: float) -> Breakage:
    """Return what broke in an exchange with an endpoint, and what the user can do about it.

    `reason` is the text of the exceptions: `Connection refused` gives `cannot be reached
    (Connection refused)` and `is the server running, ...?`.
    """
    return (
        _breakage_of_limit(causes.http_error, timeout_s)
        or _breakage_of_address(causes.http_error)
        or _breakage_of_encryption(causes.root_cause, reason)
        or _breakage_of_connection(causes, reason)
        or Breakage(f"broke off ({reason})", "is the server still running?")
    )


def _breakage_of_limit(http_error: BaseException, timeout_s: float) -> Breakage | None:
    """Return what broke if the reply came too late or is too long; else None."""
    if isinstance(http_error, ReplyTooLong):
        mebibytes = bounds.MOST_REPLY_BYTES // 2**20
        return Breakage(f"sent more than {mebibytes} MiB", f"{CHECK_ADDRESS}?")
    # The special case comes first: a `ConnectTimeout` is also a `TimeoutException`.
    if isinstance(http_error, httpx2.ConnectTimeout):
        text = "cannot be reached (no connection in time)"
        return Breakage(text, f"is the server up, and {CHECK_ADDRESS}?")
    if isinstance(http_error, httpx2.TimeoutException):
        text = f"did not answer within {timeout_s:g} s"
        return Breakage(text, "a slow model needs a longer --model-timeout")
    return None


def _breakage_of_address(http_error: BaseException) -> Breakage | None:
    """Return what broke if the address cannot be used, such as `localhost`; else None."""
    unusable = (
        httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | httpx2.InvalidURL
    )
    if not isinstance(http_error, unusable):
        return None
    remedy = "set OPENAI_BASE_URL to one that begins with https://"
    return Breakage("is not an address", remedy, retryable=False)


def _breakage_of_encryption(root_cause: BaseException, reason: str) -> Breakage | None:
    """Return what broke if there is no encrypted connection; else None."""
    if isinstance(root_cause, ssl.SSLCertVerificationError):
        text = f"has a certificate that is not trusted ({reason})"
        remedy = "set SSL_CERT_FILE to its authority's certificate"
        return Breakage(text, remedy, retryable=False)
    if isinstance(root_cause, ssl.SSLError):
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
