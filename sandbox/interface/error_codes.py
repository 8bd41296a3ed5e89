"""The errors of calls: their codes, as the Connect protocol names them."""

from __future__ import annotations

from typing import Final

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


class CallError(Exception):
    """A call of the environment failed.

    `code` is one of the constants above. A script sees `not_found` as
    `FileNotFoundError` and every other code as `HarnessError` with `.code`.
    """

    host_broke = False
    """True if the environment's own code raised an exception that it should not raise.

    The same call would do so again. Only `results.host_fault` sets it. It is not copied to
    another process, because it is only looked at in this one.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[CallError], tuple[str, str]]:
        return CallError, (self.code, self.message)


class Refusal(Exception):
    """The parent refuses a citation or an answer.

    In the script, this is a `CitationError` or a `GateRejection`.
    """
