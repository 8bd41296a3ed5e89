"""Read a reply of the platform: its message, or the error that it reports.

An error reply without a code of the protocol was not sent by the platform, but by a proxy, a load
balancer or another site.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from controlplane.agent.retry import retry_after_s
from controlplane.benchmarks.bitgn.client.http_exchange import HttpReply
from controlplane.benchmarks.bitgn.client.wire_errors import Message, WireError, foreign_reply
from controlplane.sandbox.interface import Plain, bounds, error_codes

PROTOCOL_CODES: Final = frozenset(
    [code for name, code in vars(error_codes).items() if name.isupper()] + ["out_of_range"]
)
"""The codes of the Connect protocol. Proxies and load balancers do not send them."""
CODES_OF_BARE_STATUS: Final = {
    400: error_codes.INVALID_ARGUMENT,
    413: error_codes.INVALID_ARGUMENT,
    414: error_codes.INVALID_ARGUMENT,
    431: error_codes.INVALID_ARGUMENT,
    408: error_codes.DEADLINE_EXCEEDED,
    429: error_codes.RESOURCE_EXHAUSTED,
    500: error_codes.INTERNAL,
}
"""The meaning of a status without a code. Any other status means: the platform was not reached."""
NOTHING_DONE_STATUSES: Final = frozenset(
    {400, 401, 403, 404, 405, 407, 413, 414, 415, 421, 425, 429, 431, 451}
)
"""Statuses which tell that the call was not carried out."""
MAX_PARTS: Final = 1_000_000
"""The most objects and lists in a reply. Each takes many times its bytes in memory."""
MAX_EXCERPT_CHARS: Final = 120
MAX_LOCATION_CHARS: Final = 200


def message_of(method: str, reply: HttpReply, secrets: tuple[str, ...]) -> Message:
    """Return the message in the reply to a call. Raises `WireError`.

    `secrets` are removed first, so that no error or journal repeats them.
    """
    content = reply.content
    for secret in secrets:
        content = content.replace(secret.encode(), b"[secret]")
    if reply.status != 200:
        raise _refusal(method, reply.status, reply.headers, content)

    content_type = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        shown_type = content_type or "of no type"
        msg = f"the reply of {method} is {shown_type}, not JSON; is the host right?"
        raise foreign_reply(msg + _excerpt(content))
    message = _json(content)
    if message is None:
        msg = f"the reply of {method} is not JSON{_excerpt(content)}"
        raise WireError(error_codes.INTERNAL, msg)
    if not isinstance(message, dict):
        msg = f"the reply of {method} is not a JSON object{_excerpt(content)}"
        raise foreign_reply(msg)
    return message


def _refusal(method: str, status: int, headers: Mapping[str, str], content: bytes) -> WireError:
    """Return the error for a reply with a status other than 200."""
    pause_s = retry_after_s(headers)
    reply = _json(content)
    if isinstance(reply, dict) and reply.get("code") in PROTOCOL_CODES:
        message = str(reply.get("message") or f"{method} was refused with status {status}")
        error = WireError(str(reply["code"]), message[: bounds.MOST_REFUSAL_CHARS])
    else:
        error = _bare_refusal(method, status, headers, content)
    error.retry_after_s = pause_s
    return error


def _bare_refusal(
    method: str, status: int, headers: Mapping[str, str], content: bytes
) -> WireError:
    """Return the error for a status without a code."""
    target = ""
    if 300 <= status < 400 and "location" in headers:
        target = f" to {headers['location'][:MAX_LOCATION_CHARS]}"
    message = f"{method} was answered with status {status}{target}{_excerpt(content)}"

    # A proxy may send a bare 503 after the server has started the call. With Retry-After, the
    # 503 comes from a server that has not started it.
    is_polite_503 = status == 503 and retry_after_s(headers) is not None
    is_refusal = status in NOTHING_DONE_STATUSES or is_polite_503
    code = CODES_OF_BARE_STATUS.get(status, error_codes.UNAVAILABLE)
    error = WireError(code, message, in_doubt=not is_refusal)
    error.is_bare_503 = status == 503

    is_wrong_address = status < 500 and status not in CODES_OF_BARE_STATUS
    if is_wrong_address:
        error.is_foreign = True
        error.message += "; is the host right?"
    return error


def _json(content: bytes) -> Plain:
    """Return the parsed JSON; None if it is invalid or has too many parts."""
    if content.count(b"{") + content.count(b"[") > MAX_PARTS:
        return None
    try:
        document: Plain = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return document


def _excerpt(content: bytes) -> str:
    """Return `: ` and the beginning of a reply's text without HTML tags; empty if there is none."""
    beginning = content[:2000].decode(errors="replace")
    without_tags = re.sub(r"<[^>]*>|\s+", " ", beginning)
    text = " ".join(without_tags.split())[:MAX_EXCERPT_CHARS]
    return f": {text}" if text else ""
