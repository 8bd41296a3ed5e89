"""The HTTP connection to an endpoint: a bound on the size of every reply, one line for what broke it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from typing import Final

import httpx

from agent.model.deadline import bounded_client
from agent.model.model_protocol import ModelError

REPLY_BYTES: Final = 32 * 1024 * 1024
"""The longest reply that is read."""
COMPRESSED_BYTES: Final = 256 * 1024
"""The longest reply that is read where it is compressed, which can hold a thousand times as much."""
CONNECT_TIMEOUT_S: Final = 15.0
"""Seconds that a connection may take to open, where a request may take longer."""
KEPT_CONNECTIONS: Final = 200
SHORTEST_SECRET: Final = 6
"""A key shorter than this is a placeholder, and cutting it out of texts would maim them."""


def open_client(timeout_s: float) -> httpx.Client:
    """Return a client that bounds each reply in size, and in time by the deadline of `ends_at`."""
    return bounded_client(
        timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S)),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=KEPT_CONNECTIONS),
        event_hooks={"response": [_bound]},
        follow_redirects=False,
    )


def connection_error(error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]) -> ModelError:
    """Return what broke as one line with its remedy. `clean` cuts secrets out of what the system says of it."""
    causes = list(causes_of(error))
    text = clean(" ".join(str(causes[-1]).split())) or type(causes[-1]).__name__

    def caused_by(*kinds: type[BaseException]) -> bool:
        return any(isinstance(each, kinds) for each in causes)

    passing, said = True, f"broke off ({text}); is the server still running?"
    if caused_by(_ReplyTooLong):
        said = (
            f"sent more than {REPLY_BYTES // 2**20} MiB, or {COMPRESSED_BYTES // 2**10} KiB compressed; "
            "is OPENAI_BASE_URL right?"
        )
    elif caused_by(httpx.ConnectTimeout):
        said = "cannot be reached (no connection in time); is the server up, and is OPENAI_BASE_URL right?"
    elif caused_by(httpx.TimeoutException):
        said = f"did not answer within {timeout_s:g} s; a slow model needs a longer --model-timeout"
    elif caused_by(httpx.ProxyError):
        said = (
            f"cannot be reached through the proxy ({text}); mend HTTPS_PROXY, or name the endpoint's host in NO_PROXY"
        )
    elif caused_by(ssl.SSLCertVerificationError):
        passing = False
        said = f"has a certificate that is not trusted ({text}); set SSL_CERT_FILE to its authority's certificate"
    elif caused_by(ssl.SSLError):
        passing = False
        said = f"does not speak TLS there ({text}); should OPENAI_BASE_URL begin with http://?"
    elif caused_by(socket.gaierror):
        said = f"has a host name that is not found ({text}); is OPENAI_BASE_URL right, and is the network up?"
    elif caused_by(httpx.ConnectError):
        said = f"cannot be reached ({text}); is the server running, and is OPENAI_BASE_URL right?"
    elif caused_by(httpx.UnsupportedProtocol, httpx.InvalidURL):
        passing = False
        said = "is no address; set OPENAI_BASE_URL to one that begins with http:// or https://"
    return ModelError(f"{where} {said}", retryable=passing, affects_all=True)


class _ReplyTooLong(httpx.TransportError):
    """A body grew beyond what is read."""


def _bound(response: httpx.Response) -> None:
    stream = response.stream
    assert isinstance(stream, httpx.SyncByteStream)
    is_plain = response.headers.get("content-encoding", "identity") in ("", "identity")
    response.stream = _BoundedStream(stream, REPLY_BYTES if is_plain else COMPRESSED_BYTES)


class _BoundedStream(httpx.SyncByteStream):
    """A body that ends at a size."""

    def __init__(self, stream: httpx.SyncByteStream, most: int) -> None:
        self._stream = stream
        self._most = most

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._stream:
            size += len(chunk)
            if size > self._most:
                msg = "the body is too long"
                raise _ReplyTooLong(msg)
            yield chunk

    def close(self) -> None:
        self._stream.close()


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it came from, the first cause last."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__
