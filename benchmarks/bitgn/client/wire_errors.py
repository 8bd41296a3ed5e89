"""The error of a failed call to the platform, and what a caller may do about it."""

from __future__ import annotations

from typing import Final, TypeAlias

from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import Plain, error_codes

Message: TypeAlias = dict[str, Plain]
"""A request or a reply in proto3 JSON."""
ALREADY_CODES: Final = frozenset({error_codes.ALREADY_EXISTS, error_codes.FAILED_PRECONDITION})
"""Codes that a repeated call gets if the one before it did happen."""


class WireError(Exception):
    """A call failed. The text never holds the request."""

    is_bare_503 = False
    """True for a 503 without a code: most likely a refusal, from an unknown sender."""
    is_foreign = False
    """True if something other than the platform answered: a proxy, a balancer, another site."""
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
        """False only if the call was never sent, or if the server says that it did nothing."""
        self.transient = failure.transient if transient is None else transient
        """True if another attempt may succeed."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def foreign_reply(message: str) -> WireError:
    """Return the error of a reply that does not come from the platform."""
    error = WireError(error_codes.UNAVAILABLE, message, in_doubt=True)
    error.is_foreign = True
    return error
