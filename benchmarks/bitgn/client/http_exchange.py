"""One HTTP exchange with the platform, over kept connections.

A deadline holds for the whole exchange, the body included; bodies are bounded while they arrive;
redirects are not followed, since they would carry the key to another host; proxies are taken from
the environment.

The client of connectrpc, the library of the server, was measured and does not keep this. It reads
a reply to its end before it compares the size with `read_max_bytes` (a reply of 300 MB took 640 MB
with a limit of 1 MB). Its error is the same for another site's 404 page and for the platform's own
`unimplemented`, and has neither `Retry-After` nor the body, so that a wrong address, a busy
platform and a lost reply cannot be told apart.
"""

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

BROKEN_CONNECTION: Final = (pyqwest.RemoteProtocolError, pyqwest.ReadError, pyqwest.WriteError)
"""The connection broke, or something other than HTTP came over it."""
REMEDIES: Final = {
    "certificate": (
        "; set SSL_CERT_FILE to its authority's certificate, or BITGN_HOST to the name that it has"
    ),
    "tunnel error": "; mend HTTPS_PROXY, or name the host in NO_PROXY",
    "dns error": "; is BITGN_HOST right, and is the network up?",
}
"""What a user can do about a failed connection, by a phrase of the library's error."""


class ReplyTooLong(Exception):
    """A reply was not read to its end."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A whole reply, decompressed."""

    status: int
    headers: Mapping[str, str]
    """Names are in lower case."""
    content: bytes


class HttpExchange:
    """Makes at most `connections` exchanges at once. Used from many threads."""

    def __init__(self, connections: int) -> None:
        """Open nothing yet. Raises `ValueError` for certificates that cannot be used."""
        self._client = pyqwest.SyncClient(_transport(connections))
        self._turns = threading.Semaphore(connections)

    def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline_s: float
    ) -> HttpReply:
        """Return the reply to a request.

        Raises `ConnectionError` if nothing was sent, `TimeoutError` if the whole reply has not
        arrived by the deadline, `ReplyTooLong`, `ValueError` or `RuntimeError` for an address that
        is not one, and else an error of `BROKEN_CONNECTION`.
        """
        with self._turns:
            stream = self._client.stream("POST", url, headers, body, timeout=deadline_s)
            with stream as reply:
                content = bytearray()
                for part in reply.content:
                    content += part
                    if len(content) > bounds.MOST_REPLY_BYTES:
                        msg = f"is longer than {bounds.MOST_REPLY_BYTES} bytes"
                        raise ReplyTooLong(msg)
                return HttpReply(reply.status, dict(reply.headers.items()), bytes(content))


def _transport(connections: int) -> pyqwest.SyncHTTPTransport:
    certificate_file = os.environ.get("SSL_CERT_FILE")
    try:
        certificate = Path(certificate_file).read_bytes() if certificate_file else None
        return pyqwest.SyncHTTPTransport(
            tls_ca_cert=certificate,
            tls_include_system_certs=certificate is None,
            http_version=pyqwest.HTTPVersion.HTTP1,
            connect_timeout=bounds.LONGEST_CONNECT_S,
            # Seconds to keep an idle connection: fewer than common servers, which then close it.
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


def error_without_reply(method: str, error: Exception, host: str, deadline_s: float) -> WireError:
    """Return the error of a call without a whole reply, from an exception that `post` raises.

    Only a call that never connected has certainly done nothing.
    """
    # What comes before names the URL, and the library's layers.
    reason = str(error).rpartition("): ")[2]
    if isinstance(error, ConnectionError):
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
