"""Tells by the error code of a failed call if a retry helps, and if other trials fail, too.

Calls to models, platforms and benchmarks fail with the codes of the Connect
protocol (`controlplane.sandbox.interface.error_codes`). Only `failure_of`
interprets these codes.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.sandbox.interface import error_codes


@dataclass(frozen=True, slots=True)
class Failure:
    """The meaning of a failed call's code."""

    transient: bool = False
    """True if another attempt may succeed."""
    in_doubt: bool = False
    """True if the call may have had its effect although it failed."""
    fails_all: bool = False
    """True if all other trials would fail in the same way."""

    @property
    def is_tooling(self) -> bool:
        """True if the environment failed; False if the request was wrong."""
        return self.transient or self.in_doubt

    @property
    def is_unreachable(self) -> bool:
        """True if the server was never reached."""
        return self.transient and self.fails_all


def failure_of(code: str) -> Failure:
    """Return the meaning of an error code. A code that is not listed means a wrong request."""
    match code:
        # The server did not accept the call, because it is down or over its limit.
        case error_codes.UNAVAILABLE | error_codes.RESOURCE_EXHAUSTED:
            return Failure(transient=True, fails_all=True)
        # The reply did not come in time. The server may have done what the call asks for.
        case error_codes.DEADLINE_EXCEEDED:
            return Failure(transient=True, in_doubt=True, fails_all=True)
        # The server rolled this one call back, for example after a conflict.
        case error_codes.ABORTED:
            return Failure(transient=True)
        # This one call broke off on the server.
        case error_codes.INTERNAL | error_codes.CANCELED:
            return Failure(transient=True, in_doubt=True)
        # The call failed on the server, and would fail again.
        case error_codes.UNKNOWN | error_codes.DATA_LOSS:
            return Failure(in_doubt=True)
        # The key, its rights, or the server's version is wrong, for every trial alike.
        case (
            error_codes.UNAUTHENTICATED
            | error_codes.PERMISSION_DENIED
            | error_codes.UNIMPLEMENTED
        ):
            return Failure(fails_all=True)
        case _:
            return Failure()


def may_yet_succeed(code: str) -> bool:
    """Return True if the same call may succeed later, perhaps with another key."""
    return failure_of(code).is_tooling or code == error_codes.UNAUTHENTICATED
