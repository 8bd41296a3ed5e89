"""Finds what broke in an HTTP exchange with an endpoint: a request and its reply.

| error of the client | text | remedy |
|---|---|---|
| `ReadTimeout` | `did not answer within 180 s` | a longer --model-timeout |
| `UnsupportedProtocol`, for `localhost` | `is not an address` | begin with https:// |
| `ConnectError` | `cannot be reached (Connection refused)` | is the server running? |
| anything else | `broke off (...)` | is the server still running? |
"""

from __future__ import annotations

import httpx2

from controlplane.agent.endpoint.bounded_body import ReplyTooLong
from controlplane.agent.endpoint.errors.breakage import CHECK_ADDRESS, Breakage
from controlplane.agent.endpoint.errors.broken_connection import (
    breakage_of_connection,
    breakage_of_encryption,
)
from controlplane.agent.endpoint.errors.causes import Causes
from controlplane.sandbox.interface import bounds


def breakage_of(causes: Causes, reason: str, timeout_s: float) -> Breakage:
    """Return what broke. `reason` is the text of the causes, as the user may see it."""
    return (
        _breakage_of_limit(causes, timeout_s)
        or _breakage_of_address(causes)
        or breakage_of_encryption(causes, reason)
        or breakage_of_connection(causes, reason)
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
