"""One unary call of the Connect protocol over HTTP, with JSON bodies.

It promises a deadline on the whole call, the body included, announced to the server, and one kind of error that says
whether the call may have happened. It repeats nothing; `retries` does.
"""

from __future__ import annotations

import gzip
import json
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Final

import httpx

from sandbox.operations import (
    CANCELED,
    DEADLINE_EXCEEDED,
    INTERNAL,
    INVALID_ARGUMENT,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    UNAUTHENTICATED,
    UNAVAILABLE,
    UNIMPLEMENTED,
    UNKNOWN,
    Plain,
)

COMPRESSED_FROM_BYTES: Final = 32 * 1024
"""A request body from this size on is sent gzip-compressed."""
KEPT_S: Final = 4.0
"""How long an idle connection is kept: less than common servers do, so that none is closed while it is written to."""
CONNECT_TIMEOUT_S: Final = 10.0
"""How long a connection may take to open, where the call's own deadline is not shorter."""
REPLY_BYTES: Final = 64 * 1024 * 1024
"""The longest reply that is accepted, decompressed."""

PASSING: Final = frozenset({UNAVAILABLE, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, "aborted", INTERNAL})
"""Codes of failures that another attempt may not meet."""
DOUBTFUL: Final = frozenset({UNKNOWN, INTERNAL, DEADLINE_EXCEEDED, "data_loss", CANCELED})
"""Codes that leave open whether the server did what was asked."""

_CODES_OF_BARE_STATUS: Final = {
    400: INVALID_ARGUMENT,
    401: UNAUTHENTICATED,
    403: PERMISSION_DENIED,
    404: UNIMPLEMENTED,
    408: DEADLINE_EXCEEDED,
    413: INVALID_ARGUMENT,
    415: INTERNAL,
    429: RESOURCE_EXHAUSTED,
    500: INTERNAL,
    502: UNAVAILABLE,
    503: UNAVAILABLE,
    504: UNAVAILABLE,
}
_DONE_NOTHING_STATUS: Final = frozenset({400, 401, 403, 404, 413, 415, 429})


class WireError(Exception):
    """A call failed. The text never holds the request."""

    def __init__(self, code: str, message: str, *, may_have_happened: bool, passing: bool) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        """A Connect code."""
        self.message = message
        self.may_have_happened = may_have_happened
        """False only where the call never left, or where the server itself says that it did nothing."""
        self.passing = passing
        """Whether another attempt may not meet it."""
        self.is_bare_503 = False
        """Whether it is a 503 without a code: most likely a refusal, but by whom is not known."""
        self.retry_after_s: float | None = None
        """How long the server asked to wait before any further call."""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.code, self.message, self.may_have_happened, self.passing, self.retry_after_s)


def _rebuilt(code: str, message: str, may_have_happened: bool, passing: bool, retry_after_s: float | None) -> WireError:
    error = WireError(code, message, may_have_happened=may_have_happened, passing=passing)
    error.retry_after_s = retry_after_s
    return error


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where one service of the wire is reached."""

    base_url: str
    service: str
    """Package and service, as `bitgn.harness.HarnessService`."""

    def url(self, method: str) -> str:
        """Return the URL of one method."""
        return f"{self.base_url.rstrip('/')}/{self.service}/{method}"


class ConnectClient:
    """Makes calls over one pool of kept connections. Used from many threads at once."""

    def __init__(self, *, connections: int, secrets: tuple[str, ...] = ()) -> None:
        """Open nothing yet. `secrets` are cut out of every error's text, should a server repeat one."""
        limits = httpx.Limits(
            max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=KEPT_S
        )
        headers = {"Connect-Protocol-Version": "1", "Content-Type": "application/json", "Accept-Encoding": "gzip"}
        self._http = httpx.Client(limits=limits, headers=headers, verify=_tls_context(), follow_redirects=False)
        self._secrets = tuple(secret for secret in secrets if secret)

    def call(
        self, endpoint: Endpoint, method: str, message: Mapping[str, Plain], *, deadline_s: float
    ) -> dict[str, Plain]:
        """Make one call and return the reply's JSON object. Raises `WireError`."""
        body = json.dumps(message, separators=(",", ":")).encode()
        headers = {"Connect-Timeout-Ms": str(max(1, int(deadline_s * 1000)))}
        if len(body) >= COMPRESSED_FROM_BYTES:
            body = gzip.compress(body, compresslevel=1)
            headers["Content-Encoding"] = "gzip"
        try:
            with _translated(endpoint, method, deadline_s):
                status, reply_headers, content = self._exchange(endpoint.url(method), headers, body, deadline_s)
            if status != httpx.codes.OK:
                raise _refusal(method, status, reply_headers, content)
            return _decoded(method, reply_headers, content)
        except WireError as error:
            raise self._without_secrets(error) from None

    def close(self) -> None:
        """Close every connection."""
        self._http.close()

    def _without_secrets(self, error: WireError) -> WireError:
        if self._http.is_closed:
            return WireError(CANCELED, "the client was closed", may_have_happened=True, passing=False)
        if not any(secret in error.message for secret in self._secrets):
            return error
        message = error.message
        for secret in self._secrets:
            message = message.replace(secret, "[secret]")
        return _rebuilt(error.code, message, error.may_have_happened, error.passing, error.retry_after_s)

    def _exchange(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline_s: float
    ) -> tuple[int, httpx.Headers, bytes]:
        ends_at = time.monotonic() + deadline_s
        timeout = dict.fromkeys(("read", "write", "pool"), deadline_s)
        timeout["connect"] = min(deadline_s, CONNECT_TIMEOUT_S)
        request = self._http.build_request(
            "POST", url, content=body, headers=dict(headers), extensions={"timeout": timeout}
        )
        response = self._http.send(request, stream=True)
        try:
            # The transport reads this mapping again when the body begins, so the body gets what is left of the time.
            timeout["read"] = max(0.001, ends_at - time.monotonic())
            chunks = bytearray()
            for chunk in response.iter_bytes():
                chunks += chunk
                if time.monotonic() > ends_at:
                    msg = "the reply's body did not end in time"
                    raise httpx.ReadTimeout(msg)
                if len(chunks) > REPLY_BYTES:
                    msg = f"the reply is longer than {REPLY_BYTES} bytes"
                    raise httpx.DecodingError(msg)
        finally:
            response.close()
        return response.status_code, response.headers, bytes(chunks)


@cache
def _tls_context() -> ssl.SSLContext:
    """Return what every client of this process trusts; reading the certificates takes a while."""
    return httpx.create_ssl_context()


@contextmanager
def _translated(endpoint: Endpoint, method: str, deadline_s: float) -> Iterator[None]:
    """Turn every exception of the HTTP library into a `WireError` that names the host and never the request."""
    host = endpoint.base_url
    try:
        yield
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        msg = f"{host} is no URL of a platform ({error}); set BITGN_HOST to one that begins with https://"
        raise WireError(INVALID_ARGUMENT, msg, may_have_happened=False, passing=False) from None
    except (httpx.ConnectTimeout, httpx.PoolTimeout):
        msg = f"{host} cannot be reached: no connection in {min(deadline_s, CONNECT_TIMEOUT_S):g} s"
        raise WireError(UNAVAILABLE, msg, may_have_happened=False, passing=True) from None
    except (httpx.ConnectError, httpx.ProxyError) as error:
        msg = f"{host} cannot be reached: {error}"
        raise WireError(UNAVAILABLE, msg, may_have_happened=False, passing=not _is_tls(error)) from None
    except httpx.TimeoutException:
        msg = f"{method} had no complete reply in {deadline_s:g} s"
        raise WireError(DEADLINE_EXCEEDED, msg, may_have_happened=True, passing=True) from None
    except httpx.DecodingError as error:
        msg = f"the reply of {method} cannot be decoded: {error}"
        raise WireError(INTERNAL, msg, may_have_happened=True, passing=True) from None
    except (httpx.TransportError, httpx.StreamError, RuntimeError) as error:
        # A RuntimeError is what the library raises when the client is closed while a call is on its way.
        msg = f"the connection was lost during {method}: {error or type(error).__name__}"
        raise WireError(UNAVAILABLE, msg, may_have_happened=True, passing=True) from None


def _is_tls(error: BaseException | None) -> bool:
    """Say whether the two ends cannot agree on TLS, as against a handshake that was cut off."""
    while error is not None:
        if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _refusal(method: str, status: int, headers: httpx.Headers, content: bytes) -> WireError:
    try:
        said = json.loads(content)
    except ValueError:
        said = None
    retry_after_s = _retry_after_s(headers)
    if isinstance(said, dict) and isinstance(said.get("code"), str):
        code = said["code"]
        message = str(said.get("message") or f"{method} was refused with status {status}")
        error = WireError(code, message, may_have_happened=code in DOUBTFUL, passing=code in PASSING)
    else:
        code = _CODES_OF_BARE_STATUS.get(status, UNKNOWN)
        # A bare 503 may come from something between us and the server after the server began; with Retry-After it is
        # a server that says it did not begin.
        told_to_wait = status == httpx.codes.SERVICE_UNAVAILABLE and retry_after_s is not None
        doubtful = status not in _DONE_NOTHING_STATUS and not told_to_wait
        message = f"{method} was answered with status {status}{_excerpt(content)}"
        passing = code in PASSING or status >= httpx.codes.INTERNAL_SERVER_ERROR
        error = WireError(code, message, may_have_happened=doubtful, passing=passing)
        error.is_bare_503 = status == httpx.codes.SERVICE_UNAVAILABLE
    error.retry_after_s = retry_after_s
    return error


def _decoded(method: str, headers: httpx.Headers, content: bytes) -> dict[str, Plain]:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        msg = f"the reply of {method} is {kind or 'of no type'}, not JSON; is the host right?{_excerpt(content)}"
        raise WireError(INTERNAL, msg, may_have_happened=True, passing=False)
    try:
        reply = json.loads(content)
    except ValueError as error:
        msg = f"the reply of {method} is no JSON: {error}"
        raise WireError(INTERNAL, msg, may_have_happened=True, passing=True) from None
    if not isinstance(reply, dict):
        msg = f"the reply of {method} is no JSON object"
        raise WireError(INTERNAL, msg, may_have_happened=True, passing=False)
    return reply


def _excerpt(content: bytes) -> str:
    text = re.sub(r"<[^>]*>|\s+", " ", content[:2000].decode(errors="replace"))
    text = " ".join(text.split())[:120]
    return f": {text}" if text else ""


def _retry_after_s(headers: httpx.Headers) -> float | None:
    """Return the seconds that Retry-After asks for, given as a number or as a date; None where it says nothing."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
