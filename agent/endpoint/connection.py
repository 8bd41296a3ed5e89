"""The HTTP connection to an endpoint: bounds on every reply, and one line for what broke it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from typing import Final

import httpx2

from agent.http import Exchange, HttpConnections, HttpError
from agent.model.model_protocol import ModelError

REPLY_BYTES: Final = 32 * 1024 * 1024
"""The longest reply that is read."""
COMPRESSED_BYTES: Final = 256 * 1024
"""The longest compressed reply that is read; it can hold a thousand times as much."""
IDLE_S: Final = 5.0
"""Seconds that an idle connection is kept."""


def open_client(timeout_s: float) -> httpx2.Client:
    """Return a client that bounds each exchange in time and each reply in size, and raises `HttpError`.

    Raises `ValueError` if the environment names a proxy or certificates that cannot be used.
    """
    return httpx2.Client(transport=_Transport(timeout_s), timeout=timeout_s, follow_redirects=False)


class _Transport(httpx2.BaseTransport):
    """Sends the library's requests over kept connections, and reads each reply to its end."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._connections = HttpConnections(idle_s=IDLE_S, reply_bytes=REPLY_BYTES)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Make one exchange. Raises `HttpError`."""
        added = (b"host", b"content-length")
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in added]
        url, body = str(request.url), request.read()
        # A second request changes nothing at an endpoint.
        reply = Exchange(self._connections, url, headers, body, self._timeout_s, is_repeatable=True).finish()
        is_compressed = reply.headers.get("content-encoding", "identity") != "identity"
        if is_compressed and len(reply.body) > COMPRESSED_BYTES:
            raise HttpError(fault="too long", text="the compressed reply is too long", may_have_happened=True)
        return httpx2.Response(reply.status, headers=reply.headers, stream=httpx2.ByteStream(reply.body))

    def close(self) -> None:
        """Give back the connections."""
        self._connections.close()


def connection_error(error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]) -> ModelError:
    """Return what broke as one line with its remedy. `clean` cuts secrets out of what the system says of it."""
    fault = error.fault if isinstance(error, HttpError) else "lost"
    cause = error.__cause__ or error
    text = clean(" ".join(str(cause).split())) or type(cause).__name__
    passing, said = True, f"broke off ({text}); is the server still running?"
    if fault == "too long":
        said = (
            f"sent more than {REPLY_BYTES // 2**20} MiB, or {COMPRESSED_BYTES // 2**10} KiB compressed; "
            "is OPENAI_BASE_URL right?"
        )
    elif fault == "connect timed out":
        said = "cannot be reached (no connection in time); is the server up, and is OPENAI_BASE_URL right?"
    elif fault == "timed out":
        said = f"did not answer within {timeout_s:g} s; a slow model needs a longer --model-timeout"
    elif fault == "bad request":
        passing = False
        said = "is not an address; set OPENAI_BASE_URL to one that begins with http:// or https://"
    elif isinstance(cause, ssl.SSLCertVerificationError):
        passing = False
        said = f"has a certificate that is not trusted ({text}); set SSL_CERT_FILE to its authority's certificate"
    elif isinstance(cause, ssl.SSLError):
        passing = False
        said = f"does not speak TLS there ({text}); should OPENAI_BASE_URL begin with http://?"
    elif fault == "no proxy":
        said = (
            f"cannot be reached through the proxy ({text}); mend HTTPS_PROXY, or name the endpoint's host in NO_PROXY"
        )
    elif isinstance(cause, socket.gaierror):
        said = f"has a host name that is not found ({text}); is OPENAI_BASE_URL right, and is the network up?"
    elif fault == "not connected":
        said = f"cannot be reached ({text}); is the server running, and is OPENAI_BASE_URL right?"
    return ModelError(f"{where} {said}", retryable=passing, affects_all=True)
