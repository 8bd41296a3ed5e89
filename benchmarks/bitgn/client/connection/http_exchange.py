"""One HTTP exchange with the platform, over persistent connections.

The deadline applies to the whole exchange, including the body. The size of a body is
checked while it arrives. Redirects are not followed, because they would send the key to
another host. Proxies come from the environment.
"""

# The client of `connectrpc`, the server's library, would not do:
# - It checks the size of a reply only after it has read the whole reply. With a limit of 1 MB, a
#   reply of 300 MB took 640 MB of memory.
# - Its errors have neither the body nor `Retry-After`, and are the same for another site's 404 page
#   and the platform's `unimplemented`. So they do not tell a wrong address, a busy platform and a
#   lost reply apart.

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyqwest

from controlplane.sandbox.interface import bounds

BROKEN_CONNECTION: Final = (
    pyqwest.RemoteProtocolError,
    pyqwest.ReadError,
    pyqwest.WriteError,
)
"""The connection broke, or the data was not HTTP."""


class ReplyTooLong(Exception):
    """A reply was too long and was not read to its end."""


EXCHANGE_ERRORS: Final = (
    OSError,  # `ConnectionError`: nothing was sent. `TimeoutError`: the deadline has passed.
    *BROKEN_CONNECTION,
    ReplyTooLong,
    ValueError,  # The address is invalid. Which of these two is raised depends on its fault.
    RuntimeError,
)
"""All errors that an exchange may raise."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A complete reply, decompressed."""

    status: int
    headers: Mapping[str, str]
    """By name, in lower case."""
    content: bytes


class HttpExchange:
    """Makes at most `connections` exchanges at the same time. Many threads share it."""

    def __init__(self, connections: int) -> None:
        """Set up the client, without connecting. Raises `ValueError` for unusable certificates."""
        self._client = pyqwest.SyncClient(_transport(connections))
        # The library's pool limits only the idle connections that it keeps, not all of them.
        self._free_connections = threading.Semaphore(connections)

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline_s: float
    ) -> HttpReply:
        """Return the reply to a request. Raises one of `EXCHANGE_ERRORS`.

        A reply must not be longer than `bounds.MOST_REPLY_BYTES`.
        """
        with self._free_connections:
            stream = self._client.stream("POST", url, headers, body, timeout=deadline_s)
            with stream as reply:
                content = bytearray()
                for part in reply.content:
                    content += part
                    if len(content) > bounds.MOST_REPLY_BYTES:
                        msg = f"is longer than {bounds.MOST_REPLY_BYTES} bytes"
                        raise ReplyTooLong(msg)
                return HttpReply(
                    reply.status, dict(reply.headers.items()), bytes(content)
                )


def _transport(connections: int) -> pyqwest.SyncHTTPTransport:
    """Return the transport for at most this many idle connections.

    Raises `ValueError` if the certificates that SSL_CERT_FILE names cannot be used.
    """
    certificate_file = os.environ.get("SSL_CERT_FILE")
    try:
        certificate = Path(certificate_file).read_bytes() if certificate_file else None
        return pyqwest.SyncHTTPTransport(
            tls_ca_cert=certificate,
            tls_include_system_certs=certificate is None,
            http_version=pyqwest.HTTPVersion.HTTP1,
            connect_timeout=bounds.LONGEST_CONNECT_S,
            # Keep an idle connection for less time than common servers do before they close it.
            pool_idle_timeout=bounds.IDLE_CONNECTION_S,
            pool_max_idle_per_host=connections,
            use_system_dns=True,
            follow_redirects=False,
            enable_otel=False,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {reason}"
        raise ValueError(msg) from None
