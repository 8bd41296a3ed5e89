"""What broke if no connection to an endpoint could be made.

| error of the client, and its root cause | text | remedy |
|---|---|---|
| `ProxyError` | `cannot be reached through the proxy (...)` | fix HTTPS_PROXY |
| `ConnectError`, by `gaierror` | `has a host name that is not found (...)` | is the network up? |
| `ConnectError`, by `SSLError` | `does not speak TLS there (...)` | begin with http://? |
| `ConnectError`, by anything else | `cannot be reached (...)` | is the server running? |
"""

from __future__ import annotations

import socket
import ssl

import httpx2

from controlplane.agent.endpoint.errors.breakage import CHECK_ADDRESS, Breakage
from controlplane.agent.endpoint.errors.causes import Causes


def breakage_of_encryption(causes: Causes, reason: str) -> Breakage | None:
    """Return what broke if there is no encrypted connection; else None."""
    if isinstance(causes.root_cause, ssl.SSLCertVerificationError):
        text = f"has a certificate that is not trusted ({reason})"
        remedy = "set SSL_CERT_FILE to its authority's certificate"
        return Breakage(text, remedy, retryable=False)
    if isinstance(causes.root_cause, ssl.SSLError):
        text = f"does not speak TLS there ({reason})"
        remedy = "should OPENAI_BASE_URL begin with http://?"
        return Breakage(text, remedy, retryable=False)
    return None


def breakage_of_connection(causes: Causes, reason: str) -> Breakage | None:
    """Return what broke if there is no connection at all; else None."""
    if isinstance(causes.http_error, httpx2.ProxyError):
        text = f"cannot be reached through the proxy ({reason})"
        remedy = "fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY"
        return Breakage(text, remedy)
    # The special case comes first: a host name that is not found also gives a `ConnectError`.
    if isinstance(causes.root_cause, socket.gaierror):
        text = f"has a host name that is not found ({reason})"
        return Breakage(text, f"{CHECK_ADDRESS}, and is the network up?")
    if isinstance(causes.http_error, httpx2.ConnectError):
        text = f"cannot be reached ({reason})"
        return Breakage(text, f"is the server running, and {CHECK_ADDRESS}?")
    return None
