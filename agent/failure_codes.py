"""What the error code of a failed call means: whether to retry it, and whom else it concerns.

Calls of models, platforms and benchmarks fail with the same codes, those of the Connect protocol
(`controlplane.sandbox.interface.error_codes`). `failure_of` is the one place that interprets them.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.sandbox.interface import error_codes


@dataclass(frozen=True, slots=True)
class Failure:
    """The meaning of a failed call's code."""

    transient: bool = False
    """Another attempt may succeed."""
    in_doubt: bool = False
    """The call may have had its effect although it failed."""
    fails_all: bool = False
    """Every other trial would fail the same way."""

    @property
    def is_tooling(self) -> bool:
        """True if the environment failed; False if the request was wrong."""
        return self.transient or self.in_doubt

    @property
    def is_unreachable(self) -> bool:
        """True if the server was never reached."""
        return self.transient and self.fails_all


def failure_of(code: str) -> Failure:
    """Return what an error code means. Any code that is not listed says the request was wrong."""
    match code:
        # The server did not take the call: down, or over its limit.
        case error_codes.UNAVAILABLE | error_codes.RESOURCE_EXHAUSTED:
            return Failure(transient=True, fails_all=True)
        # The server may have taken the call; its reply did not come in time.
        case error_codes.DEADLINE_EXCEEDED:
            return Failure(transient=True, in_doubt=True, fails_all=True)
        # The server rolled this one call back, for example after a conflict.
        case error_codes.ABORTED:
            return Failure(transient=True)
        # This one call broke off on the server.
        case error_codes.INTERNAL | error_codes.CANCELED:
            return Failure(transient=True, in_doubt=True)
        # The call broke, and would break again.
        case error_codes.UNKNOWN | error_codes.DATA_LOSS:
            return Failure(in_doubt=True)
        # The key, its rights, or the server's version is wrong, for every trial alike.
        case (
            error_codes.UNAUTHENTICATED | error_codes.PERMISSION_DENIED | error_codes.UNIMPLEMENTED
        ):
            return Failure(fails_all=True)
        case _:
            return Failure()


def may_yet_succeed(code: str) -> bool:
    """Return whether the same call may succeed later, by itself or with another key."""
    return failure_of(code).is_tooling or code == error_codes.UNAUTHENTICATED
