"""Tells what a failed call's error code means for retries, and for other trials.

Calls to models, platforms and benchmarks fail with the codes of the Connect protocol
(`controlplane.sandbox.interface.error_codes`): after `unavailable` a retry helps, after
`invalid_argument` it does not. Only this module interprets the codes.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.sandbox.interface import error_codes


@dataclass(frozen=True, slots=True)
class _Failure:
    """The meaning of a failed call's code. Without a mark, the request was wrong."""

    transient: bool = False
    """True if a retry in the next minutes may succeed."""
    in_doubt: bool = False
    """True if the call may have had its effect although it failed."""
    fails_all: bool = False
    """True if the calls of all other trials are expected to fail in the same way."""

    @property
    def is_environment_fault(self) -> bool:
        """True if the environment failed; False if the request was wrong.

        A wrong request is refused for certain (not in doubt), and so is each retry of it.
        """
        return self.transient or self.in_doubt

    @property
    def is_outage(self) -> bool:
        """True if the server seems to serve nobody for now: a problem of all, which passes."""
        return self.transient and self.fails_all


def failure_of(code: str) -> _Failure:
    """Return the meaning of an error code. A code that is not listed means a wrong request."""
    match code:
        # The server did not accept the call, because it is down or over its limit.
        case error_codes.UNAVAILABLE | error_codes.RESOURCE_EXHAUSTED:
            return _Failure(transient=True, fails_all=True)
        # No reply came in time. The server is probably overloaded, which concerns all
        # trials; it may have done what the call asks for.
        case error_codes.DEADLINE_EXCEEDED:
            return _Failure(transient=True, in_doubt=True, fails_all=True)
        # The server undid this one call, for example after a conflict with another.
        case error_codes.ABORTED:
            return _Failure(transient=True)
        # This one call broke off halfway. The server replied, so it serves others.
        case error_codes.INTERNAL | error_codes.CANCELED:
            return _Failure(transient=True, in_doubt=True)
        # The call broke in a way that the server does not know or cannot undo. A retry a
        # moment later would break again.
        case error_codes.UNKNOWN | error_codes.DATA_LOSS:
            return _Failure(in_doubt=True)
        # The key, its rights, or the server's version is wrong, for every trial alike.
        case (
            error_codes.UNAUTHENTICATED
            | error_codes.PERMISSION_DENIED
            | error_codes.UNIMPLEMENTED
        ):
            return _Failure(fails_all=True)
        case _:
            return _Failure()


def may_yet_succeed(code: str) -> bool:
    """Return True if the same call may succeed in a resumed run, an hour or a day later.

    By then the environment may be repaired, and the user may have given the right key.
    """
    is_wrong_key = code == error_codes.UNAUTHENTICATED
    return failure_of(code).is_environment_fault or is_wrong_key
