"""The HTTP connection to an endpoint: bounds on every reply, and one line for what broke it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from typing import Final

import httpx2

from agent.http import Connections, causes_of, deadline_client
from agent.http.deadline_transport import ReplyTooLong
from agent.model.model_protocol import ModelError

REPLY_BYTES: Final = 32 * 1024 * 1024
"""The longest reply that is read."""
COMPRESSED_BYTES: Final = 256 * 1024
"""The longest compressed reply that is read; it can hold a thousand times as much."""
IDLE_S: Final = 5.0
"""Seconds that an idle connection is kept."""
SHORTEST_SECRET: Final = 6
"""A key shorter than this is a placeholder, and cutting it out of texts would maim them."""


def open_client(timeout_s: float) -> httpx2.Client:
    """Return a client that bounds each exchange in time and each reply in size.

    Raises `ValueError` if the environment names a proxy or certificates that cannot be used.
    """
    return deadline_client(
        Connections(idle_s=IDLE_S), timeout_s=timeout_s, reply_bytes=REPLY_BYTES, compressed_bytes=COMPRESSED_BYTES
    )


def connection_error(error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]) -> ModelError:
    """Return what broke as one line with its remedy. `clean` cuts secrets out of what the system says of it."""
    causes = list(causes_of(error))
    text = clean(" ".join(str(causes[-1]).split())) or type(causes[-1]).__name__

    def caused_by(*kinds: type[BaseException]) -> bool:
        return any(isinstance(each, kinds) for each in causes)

    passing, said = True, f"broke off ({text}); is the server still running?"
    if caused_by(ReplyTooLong):
        said = (
            f"sent more than {REPLY_BYTES // 2**20} MiB, or {COMPRESSED_BYTES // 2**10} KiB compressed; "
            "is OPENAI_BASE_URL right?"
        )
    elif caused_by(httpx2.ConnectTimeout):
        said = "cannot be reached (no connection in time); is the server up, and is OPENAI_BASE_URL right?"
    elif caused_by(httpx2.TimeoutException):
        said = f"did not answer within {timeout_s:g} s; a slow model needs a longer --model-timeout"
    elif caused_by(httpx2.ProxyError):
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
    elif caused_by(httpx2.ConnectError):
        said = f"cannot be reached ({text}); is the server running, and is OPENAI_BASE_URL right?"
    elif caused_by(httpx2.UnsupportedProtocol, httpx2.InvalidURL):
        passing = False
        said = "is no address; set OPENAI_BASE_URL to one that begins with http:// or https://"
    return ModelError(f"{where} {said}", retryable=passing, affects_all=True)
