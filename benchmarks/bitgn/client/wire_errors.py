"""The error of a failed call to the platform. It tells whether the call may be repeated."""

from __future__ import annotations

from typing import Final, TypeAlias

from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import Plain, error_codes

Message: TypeAlias = dict[str, Plain]
"""A request or a reply in proto3 JSON."""
ALREADY_CODES: Final = frozenset({error_codes.ALREADY_EXISTS, error_codes.FAILED_PRECONDITION})
"""Codes in reply to a repeated call if an earlier attempt took effect."""


class WireError(Exception):
    """A call failed. The message never contains the request."""

    is_bare_503 = False
    """True for a 503 without a code. It is probably a refusal, but its sender is unknown."""
    is_foreign = False
    """True if the reply is not from the platform, but from a proxy or another site."""
    retry_after_s: float | None = None
    """The pause that the server asks for."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        in_doubt: bool | None = None,
        transient: bool | None = None,
    ) -> None:
        super().__init__(code, message)
        failure = failure_of(code)
        self.code = code
        self.message = message
        self.in_doubt = failure.in_doubt if in_doubt is None else in_doubt
        """True if the call may have taken effect: it was sent, and no reply says that it had
        none."""
        self.transient = failure.transient if transient is None else transient
        """True if another attempt may succeed."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def foreign_reply(message: str) -> WireError:
    """Return the error for a reply that is not from the platform."""
    error = WireError(error_codes.UNAVAILABLE, message, in_doubt=True)
    error.is_foreign = True
    return error
