"""One unary call of the Connect protocol over HTTP, with JSON bodies.

It promises a deadline on the whole call, the body included, announced to the server, and one kind of error that says
whether the call may have happened. `call_policies` repeats calls.
"""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import time
from collections.abc import Mapping
from typing import Final, Protocol

import httpcore2
import httpx2

from agent.endpoint import SHORTEST_SECRET
from agent.http import CONNECT_TIMEOUT_S, HTTP_ERRORS, Connections, Exchange, cause_of, core_url, retry_after_s
from benchmarks.bitgn.client.http_replies import REPLY_BYTES, asks_to_wait, decompressed, read_reply
from benchmarks.bitgn.client.wire_error import WireError
from sandbox.interface import Plain, error_codes

COMPRESSED_FROM_BYTES: Final = 32 * 1024
"""A request body from this size on is sent gzip-compressed."""
IDLE_S: Final = 4.0
"""Seconds that an idle connection is kept: fewer than common servers do, which close it then."""

_HEADERS: Final = (
    (b"User-Agent", b"grounded-control-plane"),
    (b"Connect-Protocol-Version", b"1"),
    (b"Content-Type", b"application/json"),
    (b"Accept-Encoding", b"gzip"),
)
_json_text: Final = json.JSONEncoder(separators=(",", ":")).encode
_TIMEOUTS: Final = {"timeout": {"connect": CONNECT_TIMEOUT_S}}
_REMEDIES_OF_CERTIFICATES: Final = {
    9: "; is this machine's clock right?",
    10: "; is this machine's clock right?",
    62: "; is BITGN_HOST the name that its certificate has?",
    64: "; is BITGN_HOST the name that its certificate has?",
}
"""By OpenSSL's code for a certificate that is not yet valid, has expired, or has another name or address."""


class Endpoint:
    """Where one service of the wire is reached."""

    def __init__(self, base_url: str, service: str) -> None:
        """`service` is package and service, as `bitgn.harness.HarnessService`."""
        self.base_url = base_url
        self._service = service
        self._known: dict[str, tuple[httpcore2.URL, bytes]] = {}

    def url(self, method: str) -> tuple[httpcore2.URL, bytes]:
        """Return the URL of one method, and its Host. Raises `httpcore2.UnsupportedProtocol` for what is no address."""
        known = self._known.get(method)
        if known is None:
            try:
                url = httpx2.URL(f"{self.base_url.rstrip('/')}/{self._service}/{method}")
            except httpx2.InvalidURL as error:
                raise httpcore2.UnsupportedProtocol(str(error)) from None
            known = self._known[method] = core_url(url), url.netloc
        return known


class NotSent(Exception):
    """A call was not sent, because a `Watch` kept it back."""


class Watch(Protocol):
    """Sees what a call does, at the moments at which that can be known."""

    def before_sending(self) -> None:
        """Called when the connection stands and nothing is sent yet. Raises `NotSent` to send nothing."""
        ...

    def on_retry_after(self, retry_after_s: float | None) -> None:
        """Called when the head of a reply asks to wait, before the next call can use the connection."""
        ...


class ConnectClient:
    """Makes calls over kept connections. Used from many threads at once."""

    def __init__(self, *, secrets: tuple[str, ...] = ()) -> None:
        """Open nothing yet. `secrets` are cut out of replies and errors, should a server repeat one."""
        self._connections = Connections(idle_s=IDLE_S)
        self._secrets = tuple(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)

    def call(
        self,
        endpoint: Endpoint,
        method: str,
        message: Mapping[str, Plain],
        *,
        deadline_s: float,
        watch: Watch | None = None,
    ) -> dict[str, Plain]:
        """Make one call and return the reply's JSON object. Raises `WireError`, and `NotSent` if `watch` does."""
        if self._connections.is_closed:
            raise _closed()
        body = _json_text(message).encode()
        timeout_ms = b"%d" % max(1, int(deadline_s * 1000))
        headers = [*_HEADERS, (b"Connect-Timeout-Ms", timeout_ms)]
        if len(body) >= COMPRESSED_FROM_BYTES:
            body = gzip.compress(body, compresslevel=1)
            headers.append((b"Content-Encoding", b"gzip"))
        try:
            url, host = endpoint.url(method)
            headers += (b"Host", host), (b"Content-Length", b"%d" % len(body))
            request = httpcore2.Request("POST", url, headers=headers, content=body, extensions=_TIMEOUTS)
            status, reply_headers, content = self._exchange(request, method, deadline_s=deadline_s, watch=watch)
            content = decompressed(method, reply_headers, content)
            for secret in self._secrets:
                content = content.replace(secret.encode(), b"[secret]")
            return read_reply(method, status, reply_headers, content)
        except HTTP_ERRORS as error:
            raise self._without_secrets(_wire_error(error, endpoint, method, deadline_s)) from None
        except WireError as error:
            raise self._without_secrets(error) from None

    def close(self) -> None:
        """Close every connection; one that a call is on its way over is closed after it."""
        self._connections.close()

    def _without_secrets(self, error: WireError) -> WireError:
        if self._connections.is_closed:
            return _closed()
        message = error.message
        for secret in self._secrets:
            message = message.replace(secret, "[secret]")
        return error if message == error.message else error.saying(message)

    def _exchange(
        self, request: httpcore2.Request, method: str, *, deadline_s: float, watch: Watch | None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; return status, headers (in lower case) and body of its reply as they came."""
        exchange = Exchange(
            self._connections,
            request,
            ends_at=time.monotonic() + deadline_s,
            before_sending=None if watch is None else watch.before_sending,
        )
        try:
            headers = {name.lower().decode("latin-1"): value.decode("latin-1") for name, value in exchange.headers}
            if watch is not None and asks_to_wait(exchange.status, headers):
                watch.on_retry_after(retry_after_s(headers))
            body = bytearray()
            for chunk in exchange:
                body += chunk
                if len(body) > REPLY_BYTES:
                    msg = f"the reply of {method} cannot be decoded: it is longer than {REPLY_BYTES} bytes"
                    raise WireError(error_codes.INTERNAL, msg)
        finally:
            exchange.close()
        return exchange.status, headers, bytes(body)


def _closed() -> WireError:
    return WireError(error_codes.CANCELED, "the client was closed", transient=False)


def _wire_error(error: Exception, endpoint: Endpoint, method: str, deadline_s: float) -> WireError:
    """Return what an error of the HTTP library means; the text names the host and never the request."""
    host = endpoint.base_url
    if isinstance(error, httpcore2.UnsupportedProtocol):
        msg = f"{host} is no URL of a platform ({error}); set BITGN_HOST to one that begins with https://"
        return WireError(error_codes.INVALID_ARGUMENT, msg)
    if isinstance(error, httpcore2.ConnectTimeout):
        msg = f"{host} cannot be reached: no connection in {min(deadline_s, CONNECT_TIMEOUT_S):g} s"
        return WireError(error_codes.UNAVAILABLE, msg)
    if isinstance(error, httpcore2.ConnectError | httpcore2.ProxyError):
        msg = f"{host} cannot be reached: {error}{_remedy(error)}"
        return WireError(error_codes.UNAVAILABLE, msg, transient=not _is_about_tls(error))
    if isinstance(error, httpcore2.TimeoutException):
        msg = f"{method} had no complete reply in {deadline_s:g} s"
        return WireError(error_codes.DEADLINE_EXCEEDED, msg)
    msg = f"the connection was lost during {method}: {error or type(error).__name__}"
    return WireError(error_codes.UNAVAILABLE, msg, in_doubt=True)


def _is_about_tls(error: Exception) -> bool:
    """Whether the two ends cannot agree on TLS; a connection that ended within the handshake may only have been cut."""
    return cause_of(error, ssl.SSLError) is not None and cause_of(error, ssl.SSLEOFError) is None


def _remedy(error: Exception) -> str:
    """Return what a user can do about a connection that could not be made; empty if that is to wait."""
    if (refused := cause_of(error, ssl.SSLCertVerificationError)) is not None:
        return _REMEDIES_OF_CERTIFICATES.get(refused.verify_code, "; set SSL_CERT_FILE to its authority's certificate")
    if _is_about_tls(error):
        return "; does it speak TLS there, or should the host begin with http://?"
    if isinstance(error, httpcore2.ProxyError):
        return "; mend HTTPS_PROXY, or name the host in NO_PROXY"
    return "; is BITGN_HOST right, and is the network up?" if cause_of(error, socket.gaierror) else ""
