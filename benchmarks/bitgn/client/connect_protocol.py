"""Unary calls of the Connect protocol with JSON bodies: encodes requests, and interprets replies and failures.

A reply without the protocol's code does not come from the platform: a proxy, a balancer or another site sent it.
"""

from __future__ import annotations

import gzip
import json
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Final

from agent.http import CONNECT_TIMEOUT_S, HttpError, HttpReply
from agent.retry import failure_of
from sandbox.interface import Plain, error_codes

REPLY_BYTES: Final = 64 * 1024 * 1024
"""The longest reply that is accepted, decompressed."""
COMPRESSED_FROM_BYTES: Final = 32 * 1024
"""A request body from this size on is sent gzip-compressed."""
_MOST_BRACKETS: Final = 1_000_000
"""Objects and lists of a reply: each takes many times its bytes in memory."""
MESSAGE_CHARS: Final = 1_000
"""Characters of a refusal's message that are kept."""

_HEADERS: Final = (
    (b"User-Agent", b"grounded-control-plane"),
    (b"Connect-Protocol-Version", b"1"),
    (b"Content-Type", b"application/json"),
    (b"Accept-Encoding", b"gzip"),
)
_CODES_OF_BARE_STATUS: Final = {
    **dict.fromkeys((400, 413, 414, 431), error_codes.INVALID_ARGUMENT),
    408: error_codes.DEADLINE_EXCEEDED,
    429: error_codes.RESOURCE_EXHAUSTED,
    500: error_codes.INTERNAL,
}
"""Any other status without a code says that the platform was not reached."""
_CODES: Final = [code for name, code in vars(error_codes).items() if name.isupper()] + ["out_of_range"]
"""The codes of the protocol; proxies and balancers have others."""
_DONE_NOTHING: Final = frozenset({400, 401, 403, 404, 405, 407, 413, 414, 415, 421, 425, 429, 431, 451})
_REMEDIES_OF_CERTIFICATES: Final = {
    **dict.fromkeys((9, 10), "; is this machine's clock right?"),
    **dict.fromkeys((62, 64), "; is BITGN_HOST the name that its certificate has?"),
}
"""Remedies by OpenSSL's error code: the certificate is not yet valid, has expired, or has another name or address."""
_encoded: Final = json.JSONEncoder(separators=(",", ":")).encode


class WireError(Exception):
    """A call failed. The text never holds the request."""

    is_bare_503 = False
    """True for a 503 without a code: most likely a refusal, from an unknown sender."""
    is_foreign = False
    """True if something other than the platform answered: a proxy, a balancer, another site at a wrong address."""
    retry_after_s: float | None = None

    def __init__(self, code: str, message: str, *, in_doubt: bool | None = None, transient: bool | None = None) -> None:
        super().__init__(code, message)
        failure = failure_of(code)
        self.code = code
        self.message = message
        self.in_doubt = failure.in_doubt if in_doubt is None else in_doubt
        """False only if the call was never sent, or if the server itself says that it did nothing."""
        self.transient = failure.transient if transient is None else transient
        """True if another attempt may succeed."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def foreign_reply(message: str) -> WireError:
    """Return the error of a reply that does not come from the platform."""
    error = WireError(error_codes.UNAVAILABLE, message, in_doubt=True)
    error.is_foreign = True
    return error


def encode_request(message: Mapping[str, Plain], deadline_s: float) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the headers of a call, which announce its deadline, and its body."""
    body = _encoded(message).encode()
    headers = [*_HEADERS, (b"Connect-Timeout-Ms", b"%d" % max(1, int(deadline_s * 1000)))]
    if len(body) < COMPRESSED_FROM_BYTES:
        return headers, body
    return [*headers, (b"Content-Encoding", b"gzip")], gzip.compress(body, compresslevel=1)


def read_reply(method: str, reply: HttpReply, secrets: tuple[str, ...] = ()) -> dict[str, Plain]:
    """Return the JSON object of a reply, with `secrets` cut out. Raises `WireError`."""
    try:
        content = reply.unpacked(REPLY_BYTES)
    except ValueError as error:
        raise WireError(error_codes.INTERNAL, f"the reply of {method} cannot be decoded: {error}") from None
    for secret in secrets:
        content = content.replace(secret.encode(), b"[secret]")
    if reply.status != 200:
        raise _refusal(method, reply, content)
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        msg = f"the reply of {method} is {kind or 'of no type'}, not JSON; is the host right?{_excerpt(content)}"
        raise foreign_reply(msg)
    message = _json(content)
    if message is None:
        raise WireError(error_codes.INTERNAL, f"the reply of {method} is not JSON{_excerpt(content)}")
    if not isinstance(message, dict):
        msg = f"the reply of {method} is not a JSON object{_excerpt(content)}"
        raise foreign_reply(msg)
    return message


def _refusal(method: str, reply: HttpReply, content: bytes) -> WireError:
    status, said = reply.status, _json(content)
    if isinstance(said, dict) and said.get("code") in _CODES:
        message = str(said.get("message") or f"{method} was refused with status {status}")
        error = WireError(str(said["code"]), message[:MESSAGE_CHARS])
    else:
        # A bare 503 may come from a proxy after the server has begun; with Retry-After, the server says that it has
        # not begun.
        is_refusal = status in _DONE_NOTHING or (status == 503 and reply.retry_after_s is not None)
        target = f" to {reply.headers['location'][:200]}" if 300 <= status < 400 and "location" in reply.headers else ""
        message = f"{method} was answered with status {status}{target}{_excerpt(content)}"
        code = _CODES_OF_BARE_STATUS.get(status, error_codes.UNAVAILABLE)
        error = WireError(code, message, in_doubt=not is_refusal)
        error.is_bare_503 = status == 503
        if status < 500 and status not in _CODES_OF_BARE_STATUS:  # a wrong address rather than a busy platform
            error.is_foreign = True
            error.message += "; is the host right?"
    error.retry_after_s = reply.retry_after_s
    return error


def _json(content: bytes) -> Plain:
    """Parse `content` and return its document; None if `content` is not JSON, or holds too much to be read."""
    try:
        document: Plain = None if content.count(b"{") + content.count(b"[") > _MOST_BRACKETS else json.loads(content)
    except (ValueError, RecursionError):
        return None
    return document


def _excerpt(content: bytes) -> str:
    text = " ".join(re.sub(r"<[^>]*>|\s+", " ", content[:2000].decode(errors="replace")).split())[:120]
    return f": {text}" if text else ""


def read_failure(method: str, error: HttpError, host: str, deadline_s: float) -> WireError:
    """Return the error of a failed exchange; its text names the host and never the request."""
    match error.fault:
        case "bad request":
            msg = f"{host} is not the URL of a platform: {error}; set BITGN_HOST to one that begins with https://"
            return WireError(error_codes.INVALID_ARGUMENT, msg)
        case "connect timed out":
            msg = f"{host} cannot be reached: no connection in {min(deadline_s, CONNECT_TIMEOUT_S):g} s"
            return WireError(error_codes.UNAVAILABLE, msg)
        case "not connected" | "no proxy":
            # A connection that ended within the handshake may only have been cut.
            cause = error.__cause__
            is_about_tls = isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError)
            msg = f"{host} cannot be reached: {error}{_remedy(error, is_about_tls=is_about_tls)}"
            return WireError(error_codes.UNAVAILABLE, msg, transient=not is_about_tls)
        case "timed out":
            msg = f"{method} had no complete reply in {deadline_s:g} s"
            return WireError(error_codes.DEADLINE_EXCEEDED, msg, in_doubt=error.may_have_happened)
        case "too long":
            msg = f"the reply of {method} cannot be decoded: it is longer than {REPLY_BYTES} bytes"
            return WireError(error_codes.INTERNAL, msg)
        case "lost":
            msg = f"the connection was lost during {method}: {error}"
            return WireError(error_codes.UNAVAILABLE, msg, in_doubt=error.may_have_happened)


def _remedy(error: HttpError, *, is_about_tls: bool) -> str:
    """Return what a user can do about a failed connection; empty if the user can only wait."""
    match error.__cause__:
        case ssl.SSLCertVerificationError(verify_code=code):
            return _REMEDIES_OF_CERTIFICATES.get(code, "; set SSL_CERT_FILE to its authority's certificate")
        case _ if is_about_tls:
            return "; does it speak TLS there, or should the host begin with http://?"
        case _ if error.fault == "no proxy":
            return "; mend HTTPS_PROXY, or name the host in NO_PROXY"
        case socket.gaierror():
            return "; is BITGN_HOST right, and is the network up?"
    return ""
