"""What an HTTP reply says to a call: its JSON object, or the `WireError` that it amounts to.

A reply without the protocol's code is not the platform's: a proxy, a balancer or another site sent it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Final

from agent.http import retry_after_s
from benchmarks.bitgn.client.wire_error import WireError
from sandbox.interface import Plain, error_codes

REPLY_BYTES: Final = 64 * 1024 * 1024
"""The longest reply that is accepted, decompressed."""
MESSAGE_CHARS: Final = 1_000
"""How much of what a refusal says is kept."""

_OK: Final = 200
_CODES_OF_BARE_STATUS: Final = {
    400: error_codes.INVALID_ARGUMENT,
    408: error_codes.DEADLINE_EXCEEDED,
    413: error_codes.INVALID_ARGUMENT,
    414: error_codes.INVALID_ARGUMENT,
    429: error_codes.RESOURCE_EXHAUSTED,
    431: error_codes.INVALID_ARGUMENT,
    500: error_codes.INTERNAL,
}
"""Any other status without a code says that the platform was not reached."""
_DONE_NOTHING: Final = frozenset({400, 401, 403, 404, 405, 407, 413, 414, 415, 421, 425, 429, 431, 451})


def read_reply(method: str, status: int, headers: Mapping[str, str], content: bytes) -> dict[str, Plain]:
    """Return the JSON object of a reply whose body, decompressed, is `content`. Raises `WireError`."""
    if status != _OK:
        raise _refusal(method, status, headers, content)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        msg = f"the reply of {method} is {kind or 'of no type'}, not JSON; is the host right?{_excerpt(content)}"
        raise _foreign(error_codes.UNAVAILABLE, msg, in_doubt=True)
    reply = _json(content)
    if reply is None:
        msg = f"the reply of {method} is no JSON{_excerpt(content)}"
        raise WireError(error_codes.INTERNAL, msg)
    if not isinstance(reply, dict):
        msg = f"the reply of {method} is no JSON object{_excerpt(content)}"
        raise _foreign(error_codes.UNAVAILABLE, msg, in_doubt=True)
    return reply


def decompressed(method: str, headers: Mapping[str, str], body: bytes) -> bytes:
    """Return a reply's body as it was before it was compressed. Raises `WireError` if it cannot be decoded.

    The names in `headers` are found in lower case.
    """
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding in ("", "identity"):
        return body
    msg = f"the reply of {method} cannot be decoded: "
    if coding not in ("gzip", "x-gzip"):
        msg += f"its content-encoding is {coding[:40]!r}, and gzip was asked for"
        raise _foreign(error_codes.UNAVAILABLE, msg, in_doubt=True)
    inflate = zlib.decompressobj(wbits=31)
    try:
        content = inflate.decompress(body, REPLY_BYTES)
    except zlib.error as error:
        raise WireError(error_codes.INTERNAL, f"{msg}{error}") from None
    if inflate.unconsumed_tail:
        raise WireError(
            error_codes.INTERNAL, f"{msg}it is longer than {REPLY_BYTES} bytes", in_doubt=True, transient=True
        )
    if not inflate.eof:
        raise WireError(error_codes.INTERNAL, f"{msg}it was cut off")
    return content


def _refusal(method: str, status: int, headers: Mapping[str, str], content: bytes) -> WireError:
    said = _json(content)
    asked_s = retry_after_s(headers)
    if isinstance(said, dict) and isinstance(said.get("code"), str):
        code = str(said["code"])
        message = str(said.get("message") or f"{method} was refused with status {status}")[:MESSAGE_CHARS]
        error = WireError(code, message)
    else:
        code = _CODES_OF_BARE_STATUS.get(status, error_codes.UNAVAILABLE)
        # A bare 503 may come from something between us and the server after the server began; with Retry-After it is
        # a server that says it did not begin.
        is_refusal = status == 503 and asked_s is not None
        location = f" to {headers['location'][:200]}" if 300 <= status < 400 and "location" in headers else ""
        message = f"{method} was answered with status {status}{location}{_excerpt(content)}"
        error = WireError(code, message, in_doubt=status not in _DONE_NOTHING and not is_refusal)
        error.is_foreign = _is_foreign(status)
        if error.is_foreign:
            error.message += "; is the host right?"
        error.is_bare_503 = status == 503
    error.retry_after_s = asked_s
    return error


def asks_to_wait(status: int, headers: Mapping[str, str]) -> bool:
    """Return whether the head of a reply asks to slow down."""
    return status == 429 or retry_after_s(headers) is not None


def _is_foreign(status: int) -> bool:
    """Return whether a status without a code points to a wrong address rather than to a busy or broken platform."""
    return status < 500 and status not in _CODES_OF_BARE_STATUS


def _foreign(code: str, message: str, *, in_doubt: bool) -> WireError:
    error = WireError(code, message, in_doubt=in_doubt, transient=True)
    error.is_foreign = True
    return error


def _json(content: bytes) -> Plain:
    """Return the document that `content` is; None if it is no JSON."""
    try:
        document: Plain = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return document


def _excerpt(content: bytes) -> str:
    text = re.sub(r"<[^>]*>|\s+", " ", content[:2000].decode(errors="replace"))
    text = " ".join(text.split())[:120]
    return f": {text}" if text else ""
