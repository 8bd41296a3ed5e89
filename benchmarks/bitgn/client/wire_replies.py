"""Read a reply of the platform: its message, or the error that it reports.

An error reply without a code of the protocol was not sent by the platform, but by a
proxy, a load balancer or another site.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from controlplane.agent.retry.retry_after import retry_after_s
from controlplane.benchmarks.bitgn.client.http_exchange import HttpReply
from controlplane.benchmarks.bitgn.client.wire_errors import (
    Message,
    Sender,
    WireError,
    foreign_reply,
)
from controlplane.sandbox.interface import Plain, bounds, error_codes

PROTOCOL_CODES: Final = frozenset(
    {
        error_codes.ABORTED,
        error_codes.ALREADY_EXISTS,
        error_codes.CANCELED,
        error_codes.DATA_LOSS,
        error_codes.DEADLINE_EXCEEDED,
        error_codes.FAILED_PRECONDITION,
        error_codes.INTERNAL,
        error_codes.INVALID_ARGUMENT,
        error_codes.NOT_FOUND,
        error_codes.PERMISSION_DENIED,
        error_codes.RESOURCE_EXHAUSTED,
        error_codes.UNAUTHENTICATED,
        error_codes.UNAVAILABLE,
        error_codes.UNIMPLEMENTED,
        error_codes.UNKNOWN,
        "out_of_range",  # It has no constant in `error_codes`, because no environment uses it.
    }
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
"""The codes for error replies that have only an HTTP status.

Any other status means that the platform was not reached; its code is `unavailable`.
"""
NOTHING_DONE_STATUSES: Final = frozenset(
    {400, 401, 403, 404, 405, 407, 413, 414, 415, 421, 425, 429, 431, 451}
)
"""Statuses which tell that the call was not carried out. After any other, it is in doubt."""
MAX_PARTS: Final = 1_000_000
"""The most objects and lists in a reply. `[]` has two bytes in a reply, but 56 in memory."""
MAX_EXCERPT_CHARS: Final = 120
"""The most characters of an unreadable reply that an error shows."""
MAX_LOCATION_CHARS: Final = 200
"""The most characters of a redirect's target that an error shows."""


def message_of(method: str, reply: HttpReply, secrets: tuple[str, ...]) -> Message:
    """Return the message in the reply to a call. Raises `WireError`.

    A reply that another site seems to have sent is a `foreign_reply`, and a damaged one an
    internal error of the platform. The call's policy decides which is tried again.
    `secrets` are removed first, so that no error or journal repeats them.
    """
    content = reply.content
    for secret in secrets:
        content = content.replace(secret.encode(), b"[secret]")
    if reply.status != 200:
        raise _refusal(method, reply.status, reply.headers, content)

    content_type = (
        reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    )
    if content_type != "application/json":
        shown_type = content_type or "of no type"
        msg = f"the reply of {method} is {shown_type}, not JSON; is the host right?"
        raise foreign_reply(msg + _excerpt(content))
    message = _json(content)
    if message is None:
        # The platform sends JSON, so this is probably its reply, but damaged.
        msg = f"the reply of {method} is not JSON{_excerpt(content)}"
        raise WireError(error_codes.INTERNAL, msg)
    if not isinstance(message, dict):
        msg = f"the reply of {method} is not a JSON object{_excerpt(content)}"
        raise foreign_reply(msg)
    return message


def _refusal(
    method: str, status: int, headers: Mapping[str, str], content: bytes
) -> WireError:
    """Return the error for a reply with a status other than 200."""
    reply = _json(content)
    if not isinstance(reply, dict) or reply.get("code") not in PROTOCOL_CODES:
        return _refusal_without_code(method, status, headers, content)
    message = str(reply.get("message") or f"{method} was refused with status {status}")
    return WireError(
        str(reply["code"]),
        message[: bounds.MOST_REFUSAL_CHARS],
        retry_after_s=retry_after_s(headers),
    )


def _refusal_without_code(
    method: str, status: int, headers: Mapping[str, str], content: bytes
) -> WireError:
    """Return the error for a status without a code, which a proxy or another site may have sent."""
    target = ""
    if 300 <= status < 400 and "location" in headers:
        target = f" to {headers['location'][:MAX_LOCATION_CHARS]}"
    message = f"{method} was answered with status {status}{target}{_excerpt(content)}"

    # The status of a redirect, a login page or a missing page means a wrong address.
    # Statuses from 500 mean that a server is down.
    sender = Sender.PLATFORM
    is_wrong_address = status < 500 and status not in CODES_OF_BARE_STATUS
    if is_wrong_address:
        sender = Sender.ANOTHER_SITE
        message += "; is the host right?"

    requested_pause_s = retry_after_s(headers)
    if status == 503:
        # A server that sends Retry-After with a 503 has not begun the call. Without
        # Retry-After, the 503 may come from a proxy which lost the connection after the
        # server had begun.
        sender = Sender.PERHAPS_A_PROXY
        nothing_was_done = requested_pause_s is not None
    else:
        nothing_was_done = status in NOTHING_DONE_STATUSES
    return WireError(
        CODES_OF_BARE_STATUS.get(status, error_codes.UNAVAILABLE),
        message,
        in_doubt=not nothing_was_done,
        sender=sender,
        retry_after_s=requested_pause_s,
    )


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
