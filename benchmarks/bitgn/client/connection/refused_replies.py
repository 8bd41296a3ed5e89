"""The errors that replies with a status other than 200 report.

The platform's own refusals have a code: `{"code": "not_found", "message": "..."}`. An error
reply without a code of the protocol was not sent by the platform, but by a proxy, a load
balancer or another site. Its status tells whether the call may have been carried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.retry.retry_after import retry_after_s
from controlplane.benchmarks.bitgn.client.connection.reply_text import (
    excerpt_of,
    parsed_json,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Sender,
    WireError,
)
from controlplane.sandbox.interface import bounds, error_codes

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
MAX_LOCATION_CHARS: Final = 200
"""The most characters of a redirect's target that an error shows."""


def refusal_of(
    method: str, status: int, headers: Mapping[str, str], content: bytes
) -> WireError:
    """Return the error for a reply with a status other than 200."""
    reply = parsed_json(content)
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
    message = f"{method} was answered with status {status}{target}{excerpt_of(content)}"

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
