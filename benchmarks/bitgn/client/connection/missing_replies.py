"""The errors of calls that got no complete reply: no connection, a timeout, a lost reply.

A call that had no connection was not carried out, so it may be made again. If the
connection broke afterwards, nobody knows whether the call was carried out: it is in doubt.
The message names the remedy: "is BITGN_HOST right, and is the network up?"
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.bitgn.client.connection.http_exchange import (
    BROKEN_CONNECTION,
    ReplyTooLong,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import WireError
from controlplane.sandbox.interface import error_codes

REMEDIES: Final = {
    "certificate": (  # BITGN_HOST may have another name than the server's certificate.
        "; set SSL_CERT_FILE to its authority's certificate, or BITGN_HOST to the name that it has"
    ),
    "tunnel error": "; mend HTTPS_PROXY, or name the host in NO_PROXY",
    "dns error": "; is BITGN_HOST right, and is the network up?",
}
"""What is appended to the error of a failed connection, by a phrase of the library's text."""


def error_without_reply(
    method: str, error: Exception, host: str, deadline_s: float
) -> WireError:
    """Return the error for an exception of `HttpExchange.post`: no complete reply arrived.

    A call that had no connection was not carried out. Any other call may have been; unless
    `in_doubt` says so, the error's code does. `method` is that of the call, such as `Read`.
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
    """Return what the user can do about a failed connection; empty if that is not known."""
    for phrase, remedy in REMEDIES.items():
        if phrase in reason:
            return remedy
    return ""
