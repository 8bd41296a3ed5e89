"""One unary call of the Connect protocol over HTTP, with JSON bodies.

It promises a deadline on the whole call, the body included, announced to the server, and one kind of error that says
whether the call may have happened. It repeats nothing; `retries` does.
"""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol, TypeVar

import httpx

from agent.model import SHORTEST_SECRET, bounded_client, causes_of, ends_at, retry_after_s
from benchmarks.bitgn.client.http_replies import REPLY_BYTES, asks_to_wait, decompressed, read_reply
from benchmarks.bitgn.client.wire_error import WireError
from sandbox.interface import Plain, error_codes

COMPRESSED_FROM_BYTES: Final = 32 * 1024
"""A request body from this size on is sent gzip-compressed."""
KEPT_S: Final = 4.0
"""How long an idle connection is kept: less than common servers do, so that none is closed while it is written to."""
CONNECT_TIMEOUT_S: Final = 10.0
"""How long a connection may take to open, where the call's own deadline is not shorter."""

_REMEDIES_OF_CERTIFICATES: Final = {
    9: "; is this machine's clock right?",
    10: "; is this machine's clock right?",
    62: "; is BITGN_HOST the name that its certificate has?",
    64: "; is BITGN_HOST the name that its certificate has?",
}
"""By the code that OpenSSL gives where a certificate is not yet valid, or no more, or of another name or address."""

Cause = TypeVar("Cause", bound=BaseException)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where one service of the wire is reached."""

    base_url: str
    service: str
    """Package and service, as `bitgn.harness.HarnessService`."""

    def url(self, method: str) -> str:
        """Return the URL of one method."""
        return f"{self.base_url.rstrip('/')}/{self.service}/{method}"


class HeldBack(Exception):
    """A call was not sent, because a `Watch` kept it back."""


class Watch(Protocol):
    """Sees what a call does, at the moments at which that can be known."""

    def before_sending(self) -> None:
        """Called when the connection is there and nothing is sent yet. Raises `HeldBack` to send nothing."""
        ...

    def told_to_wait(self, retry_after_s: float | None) -> None:
        """Called when the head of a reply asks to wait, before the next call can use the connection."""
        ...


class ConnectClient:
    """Makes calls over one pool of kept connections. Used from many threads at once."""

    def __init__(self, *, connections: int, secrets: tuple[str, ...] = ()) -> None:
        """Open nothing yet. `secrets` are cut out of replies and errors, should a server repeat one."""
        limits = httpx.Limits(
            max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=KEPT_S
        )
        headers = {"Connect-Protocol-Version": "1", "Content-Type": "application/json", "Accept-Encoding": "gzip"}
        self._http = bounded_client(limits=limits, headers=headers, verify=_tls_context(), follow_redirects=False)
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
        """Make one call and return the reply's JSON object. Raises `WireError`, and `HeldBack` where `watch` does."""
        body = json.dumps(message, separators=(",", ":")).encode()
        headers = {"Connect-Timeout-Ms": str(max(1, int(deadline_s * 1000)))}
        if len(body) >= COMPRESSED_FROM_BYTES:
            body = gzip.compress(body, compresslevel=1)
            headers["Content-Encoding"] = "gzip"
        try:
            with _translated(endpoint, method, deadline_s):
                url = endpoint.url(method)
                status, reply_headers, content = self._exchange(url, headers, body, deadline_s=deadline_s, watch=watch)
            content = decompressed(method, reply_headers, content)
            for secret in self._secrets:
                content = content.replace(secret.encode(), b"[secret]")
            return read_reply(method, status, reply_headers, content)
        except WireError as error:
            raise self._without_secrets(error) from None

    def close(self) -> None:
        """Close every connection."""
        self._http.close()

    def _without_secrets(self, error: WireError) -> WireError:
        if self._http.is_closed:
            return WireError(error_codes.CANCELED, "the client was closed", may_have_happened=True, passing=False)
        message = error.message
        for secret in self._secrets:
            message = message.replace(secret, "[secret]")
        return error if message == error.message else error.saying(message)

    def _exchange(
        self, url: str, headers: Mapping[str, str], body: bytes, *, deadline_s: float, watch: Watch | None
    ) -> tuple[int, httpx.Headers, bytes]:
        """Send a request and return status, headers and body of its reply as they came. Raises what `httpx` raises."""
        timeout = httpx.Timeout(deadline_s, connect=min(deadline_s, CONNECT_TIMEOUT_S))
        extensions = {} if watch is None else {"trace": _tracing(watch)}
        request = self._http.build_request(
            "POST", url, content=body, headers=dict(headers), timeout=timeout, extensions=extensions
        )
        with ends_at(time.monotonic() + deadline_s):
            response = self._http.send(request, stream=True)
            try:
                if watch is not None and asks_to_wait(response.status_code, response.headers):
                    watch.told_to_wait(retry_after_s(response.headers))
                chunks = bytearray()
                for chunk in response.iter_raw():
                    chunks += chunk
                    if len(chunks) > REPLY_BYTES:
                        msg = f"it is longer than {REPLY_BYTES} bytes"
                        raise httpx.DecodingError(msg)
            finally:
                response.close()
        return response.status_code, response.headers, bytes(chunks)


def _tracing(watch: Watch) -> Callable[[str, object], None]:
    """Return what the library tells each of its steps to."""

    def trace(event: str, info: object) -> None:
        del info
        if event == "http11.send_request_headers.started":
            watch.before_sending()

    return trace


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
        raise WireError(error_codes.INVALID_ARGUMENT, msg, may_have_happened=False, passing=False) from None
    except (httpx.ConnectTimeout, httpx.PoolTimeout):
        msg = f"{host} cannot be reached: no connection in {min(deadline_s, CONNECT_TIMEOUT_S):g} s"
        raise WireError(error_codes.UNAVAILABLE, msg, may_have_happened=False, passing=True) from None
    except (httpx.ConnectError, httpx.ProxyError) as error:
        msg = f"{host} cannot be reached: {error}{_remedy(error)}"
        is_tls = _caused_by(error, ssl.SSLError) and not _caused_by(error, ssl.SSLEOFError)
        raise WireError(error_codes.UNAVAILABLE, msg, may_have_happened=False, passing=not is_tls) from None
    except httpx.TimeoutException:
        msg = f"{method} had no complete reply in {deadline_s:g} s"
        raise WireError(error_codes.DEADLINE_EXCEEDED, msg, may_have_happened=True, passing=True) from None
    except httpx.DecodingError as error:
        msg = f"the reply of {method} cannot be decoded: {error}"
        raise WireError(error_codes.INTERNAL, msg, may_have_happened=True, passing=True) from None
    except (httpx.TransportError, httpx.StreamError, RuntimeError) as error:
        # A RuntimeError is what the library raises when the client is closed while a call is on its way.
        msg = f"the connection was lost during {method}: {error or type(error).__name__}"
        raise WireError(error_codes.UNAVAILABLE, msg, may_have_happened=True, passing=True) from None


def _remedy(error: BaseException) -> str:
    """Return what a user can do about a connection that could not be made; empty where that is to wait."""
    if (refused := _cause(error, ssl.SSLCertVerificationError)) is not None:
        return _REMEDIES_OF_CERTIFICATES.get(refused.verify_code, "; set SSL_CERT_FILE to its authority's certificate")
    if _caused_by(error, ssl.SSLError) and not _caused_by(error, ssl.SSLEOFError):
        return "; does it speak TLS there, or should the host begin with http://?"
    if _caused_by(error, httpx.ProxyError):
        return "; mend HTTPS_PROXY, or name the host in NO_PROXY"
    return "; is BITGN_HOST right, and is the network up?" if _caused_by(error, socket.gaierror) else ""


def _caused_by(error: BaseException, kind: type[BaseException]) -> bool:
    return _cause(error, kind) is not None


def _cause(error: BaseException, kind: type[Cause]) -> Cause | None:
    return next((each for each in causes_of(error) if isinstance(each, kind)), None)
