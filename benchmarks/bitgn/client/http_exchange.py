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

from controlplane.benchmarks.bitgn.client.wire_errors import WireError
from controlplane.sandbox.interface import bounds, error_codes

BROKEN_CONNECTION: Final = (
    pyqwest.RemoteProtocolError,
    pyqwest.ReadError,
    pyqwest.WriteError,
)
"""The connection broke, or the data was not HTTP."""
REMEDIES: Final = {
    "certificate": (  # BITGN_HOST may have another name than the server's certificate.
        "; set SSL_CERT_FILE to its authority's certificate, or BITGN_HOST to the name that it has"
    ),
    "tunnel error": "; mend HTTPS_PROXY, or name the host in NO_PROXY",
    "dns error": "; is BITGN_HOST right, and is the network up?",
}
"""What is appended to the error of a failed connection, by a phrase of the library's text."""


class ReplyTooLong(Exception):
    """A reply was too long and was not read to its end."""


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
        """Return the reply to a request.

        Raises:
            ConnectionError: Nothing was sent.
            TimeoutError: The reply was not complete by the deadline.
            ReplyTooLong: The reply was longer than `bounds.MOST_REPLY_BYTES`.
            ValueError, RuntimeError: The address is invalid. Which one depends on the fault.
            One of `BROKEN_CONNECTION`: The connection broke during the exchange.
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


def error_without_reply(
    method: str, error: Exception, host: str, deadline_s: float
) -> WireError:
    """Return the error for an exception of `post`, which means that no complete reply arrived.

    A call that had no connection was not carried out. Any other call may have been; unless
    `in_doubt` says so, the error's code does.
    """
    # The library's texts begin with its layers: `error sending request for url
    # (https://x/): dns error: no record found` -> `dns error: no record found`
    reason = str(error).rpartition("): ")[2]
    if isinstance(error, ConnectionError):
        # Nothing was sent. A server without TLS is reported as a corrupt message. Another attempt would
        # fail as well.
        is_about_tls = "certificate" in reason or "corrupt message" in reason
        msg = f"{host} cannot be reached: {reason}{_remedy(reason)}"
        return WireError(error_codes.UNAVAILABLE, msg, transient=not is_about_tls)
    if isinstance(error, TimeoutError):
        msg = f"{method} had no complete reply in {deadline_s:g} s"
        return WireError(error_codes.DEADLINE_EXCEEDED, msg)
    if isinstance(error, ReplyTooLong):
        return WireError(error_codes.INTERNAL, f"the reply of {method} {error}")
    if isinstance(error, BROKEN_CONNECTION):
        msg = f"the connection was lost during {method}: {reason}"
        return WireError(error_codes.UNAVAILABLE, msg, in_doubt=True)
    # Only an invalid address is left.
    msg = (
        f"{host} is not the URL of a platform: {reason}; "
        "set BITGN_HOST to one that begins with https://"
    )
    return WireError(error_codes.INVALID_ARGUMENT, msg)


def _remedy(reason: str) -> str:
    for phrase, remedy in REMEDIES.items():
        if phrase in reason:
            return remedy
    return ""
