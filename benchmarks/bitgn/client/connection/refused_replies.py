"""The errors that replies with a status other than 200 report.

The platform's own refusals have a code: `{"code": "not_found", "message": "..."}`. An error
reply without a code of the protocol was not sent by the platform, but by a proxy, a load
balancer or another site. Its status tells whether the call may have been carried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
MAX_LOCATION_CHARS: Final = 200
"""The most characters of a redirect's target that an error shows."""


@dataclass(frozen=True, slots=True)
class StatusMeaning:
    """What an HTTP status means if the reply has no code of the protocol."""

    code: str
    """The code of the error that is raised."""
    in_doubt: bool
    """True if the call may have been carried out."""
    sender: Sender = Sender.PLATFORM


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
    """Return the error for a reply that a proxy or another site may have sent."""
    requested_pause_s = retry_after_s(headers)
    meaning = _meaning_of(status, requests_pause=requested_pause_s is not None)

    target = ""
    if 300 <= status < 400 and "location" in headers:
        target = f" to {headers['location'][:MAX_LOCATION_CHARS]}"
    message = f"{method} was answered with status {status}{target}{excerpt_of(content)}"
    if meaning.sender is Sender.ANOTHER_SITE:
        message += "; is the host right?"
    return WireError(
        meaning.code,
        message,
        in_doubt=meaning.in_doubt,
        sender=meaning.sender,
        retry_after_s=requested_pause_s,
    )


def _meaning_of(status: int, *, requests_pause: bool) -> StatusMeaning:
    """Return what a status without a code of the protocol means.

    `requests_pause` is True if the reply has the header `Retry-After`.
    """
    match status:
        case 400 | 413 | 414 | 431:  # The request is malformed or too large.
            return StatusMeaning(error_codes.INVALID_ARGUMENT, in_doubt=False)
        case 408:  # The request did not arrive in time, or not all of it.
            return StatusMeaning(error_codes.DEADLINE_EXCEEDED, in_doubt=True)
        case 429:  # There were too many requests.
            return StatusMeaning(error_codes.RESOURCE_EXHAUSTED, in_doubt=False)
        case 500:  # The server failed.
            return StatusMeaning(error_codes.INTERNAL, in_doubt=True)
        case 503:
            # A server that is too busy sends Retry-After, and has not begun the call. A
            # proxy sends none; it may have lost the connection after the call had begun.
            return StatusMeaning(
                error_codes.UNAVAILABLE,
                in_doubt=not requests_pause,
                sender=Sender.PERHAPS_A_PROXY,
            )
        case 401 | 403 | 404 | 405 | 407 | 415 | 421 | 425 | 451:
            # A login page, a missing page, ...: the address is wrong.
            return StatusMeaning(
                error_codes.UNAVAILABLE, in_doubt=False, sender=Sender.ANOTHER_SITE
            )
    if status < 500:
        # A redirect, such as 302, or an unusual status: the address is wrong, too.
        return StatusMeaning(
            error_codes.UNAVAILABLE, in_doubt=True, sender=Sender.ANOTHER_SITE
        )
    # A server is down, such as with 502.
    return StatusMeaning(error_codes.UNAVAILABLE, in_doubt=True)
