"""The errors of calls that got no complete reply, as exceptions of the HTTP client report it.

    exception              code                 carried out?
    no connection          unavailable          no
    timeout                deadline_exceeded    perhaps: the call is "in doubt"
    reply too long         internal             perhaps
    connection broke       unavailable          perhaps
    invalid address        invalid_argument     no

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
"""What is appended to the error of a failed connection, by a phrase of the client's text."""


def error_without_reply(
    method: str, error: Exception, host: str, deadline_s: float
) -> WireError:
    """Return the error for an exception of `HttpExchange.post`.

    `method` is that of the call, such as `Read`.
    """
    # The client's texts begin with its layers: `error sending request for url
    # (https://x/): dns error: no record found` -> `dns error: no record found`
    reason = str(error).rpartition("): ")[2]
    if isinstance(error, ConnectionError):
        # With an invalid certificate or without TLS, another attempt would fail, too. A server
        # without TLS is reported as a corrupt message.
        is_about_tls = "certificate" in reason or "corrupt message" in reason
        msg = f"{host} cannot be reached: {reason}{_remedy(reason)}"
        return WireError(
            error_codes.UNAVAILABLE, msg, in_doubt=False, transient=not is_about_tls
        )
    if isinstance(error, TimeoutError):
        msg = f"{method} had no complete reply in {deadline_s:g} s"
        return WireError(error_codes.DEADLINE_EXCEEDED, msg, in_doubt=True)
    if isinstance(error, ReplyTooLong):
        msg = f"the reply of {method} {error}"
        return WireError(error_codes.INTERNAL, msg, in_doubt=True)
    if isinstance(error, BROKEN_CONNECTION):
        msg = f"the connection was lost during {method}: {reason}"
        return WireError(error_codes.UNAVAILABLE, msg, in_doubt=True)
    # Only an invalid address is left.
    msg = (
        f"{host} is not the URL of a platform: {reason}; "
        "set BITGN_HOST to one that begins with https://"
    )
    return WireError(error_codes.INVALID_ARGUMENT, msg, in_doubt=False)


def _remedy(reason: str) -> str:
    """Return what the user can do about a failed connection; empty if that is not known."""
    for phrase, remedy in REMEDIES.items():
        if phrase in reason:
            return remedy
    return ""
