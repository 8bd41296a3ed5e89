"""The errors of calls: their codes, as the Connect protocol names them, and what becomes of any other exception."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

NOT_FOUND: Final = "not_found"
INVALID_ARGUMENT: Final = "invalid_argument"
FAILED_PRECONDITION: Final = "failed_precondition"
PERMISSION_DENIED: Final = "permission_denied"
RESOURCE_EXHAUSTED: Final = "resource_exhausted"
INTERNAL: Final = "internal"
ALREADY_EXISTS: Final = "already_exists"
UNIMPLEMENTED: Final = "unimplemented"
UNAUTHENTICATED: Final = "unauthenticated"
UNAVAILABLE: Final = "unavailable"
DEADLINE_EXCEEDED: Final = "deadline_exceeded"
CANCELED: Final = "canceled"
UNKNOWN: Final = "unknown"
ABORTED: Final = "aborted"
DATA_LOSS: Final = "data_loss"
Result = TypeVar("Result")


class CallError(Exception):
    """A call of the environment failed.

    `code` is one of `error_codes`. A script sees `not_found` as `FileNotFoundError` and every other code as
    `HarnessError` with `.code`.
    """

    host_broke = False
    """True if the host failed in an undeclared way: the same call would break it again."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[CallError], tuple[str, str]]:
        return CallError, (self.code, self.message)


class Refusal(Exception):
    """The parent refuses a citation (raised in the script as `CitationError`) or an answer (`GateRejection`)."""


def guarded(what: str, call: Callable[[], Result]) -> Result:
    """Return the result of `call`. Raises what hosts may raise, and `CallError`, code `internal`, for the rest."""
    try:
        return call()
    except Exception as error:
        if isinstance(error, CallError | Refusal) or getattr(error, "leaves_step", False):
            raise
        said = ""
        with suppress(Exception):
            said = str(error)
        raise host_fault(what, f"{type(error).__name__}: {said}") from error


def host_fault(what: str, fault: str) -> CallError:
    """Return the failure of a call whose host failed in an undeclared way."""
    error = CallError(INTERNAL, f"{what} broke: {fault}"[:400])
    error.host_broke = True
    return error
