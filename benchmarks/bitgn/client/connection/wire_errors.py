"""The error of a failed call to the platform. It tells whether the call may be repeated.

Two questions decide: may another attempt succeed (`transient`), and may this one have taken
effect (`in_doubt`)? A busy server refuses a call: transient, and not in doubt. A broken
connection: transient and in doubt.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import Plain, error_codes

Message: TypeAlias = dict[str, Plain]
"""A request or a reply in proto3 JSON."""
ALREADY_CODES: Final = frozenset(
    {error_codes.ALREADY_EXISTS, error_codes.FAILED_PRECONDITION}
)
"""The codes by which the platform refuses what has been done already.

A call that is repeated after a lost reply gets one if the first attempt took effect.
"""


class Sender(Enum):
    """Who sent the reply to a failed call, as far as it shows."""

    PLATFORM = "platform"
    """The platform. Also set if no reply arrived, so that no other sender is suspected."""
    PERHAPS_A_PROXY = "perhaps a proxy"
    """A reply with the status 503 and without a code of the platform, such as `unavailable`.

    A proxy that lost its connection to the platform sends it. The call may have taken effect.
    """
    ANOTHER_SITE = "another site"
    """A proxy or another site, because the address is wrong or the platform is down."""


class WireError(Exception):
    """A call failed. The message never contains the request."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        in_doubt: bool | None = None,
        transient: bool | None = None,
        sender: Sender = Sender.PLATFORM,
        retry_after_s: float | None = None,
    ) -> None:
        """Set up the error. If `in_doubt` or `transient` is None, the code determines it."""
        super().__init__(code, message)
        failure = failure_of(code)
        self.code = code
        self.message = message
        self.in_doubt = failure.in_doubt if in_doubt is None else in_doubt
        """True if the call may have taken effect: it was sent, and no reply denies its effect."""
        self.transient = failure.transient if transient is None else transient
        """True if another attempt may succeed."""
        self.sender = sender
        """The sender of the reply."""
        self.retry_after_s = retry_after_s
        """The pause that the server asks for."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def foreign_reply(message: str) -> WireError:
    """Return the error for a reply that is not from the platform."""
    return WireError(
        error_codes.UNAVAILABLE, message, in_doubt=True, sender=Sender.ANOTHER_SITE
    )
