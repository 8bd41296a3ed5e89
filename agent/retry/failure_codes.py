"""What the code of a failed call means: the one table that every retry, pause and verdict on a failure reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sandbox.interface import error_codes


@dataclass(frozen=True, slots=True)
class Failure:
    """What a code says of a failed call."""

    transient: bool = False
    """Another attempt may succeed."""
    in_doubt: bool = False
    """The call may have happened all the same."""
    fails_all: bool = False
    """Every other trial would fail the same way."""

    @property
    def is_tooling(self) -> bool:
        """Whether the environment failed, as against a request that was wrong."""
        return self.transient or self.in_doubt

    @property
    def is_unreachable(self) -> bool:
        """Whether nobody was reached."""
        return self.transient and self.fails_all


_NO, _YES = False, True
_TABLE: Final = {
    # code                                transient, in doubt, fails every trial
    error_codes.UNAVAILABLE: Failure(_YES, _NO, _YES),
    error_codes.RESOURCE_EXHAUSTED: Failure(_YES, _NO, _YES),
    error_codes.DEADLINE_EXCEEDED: Failure(_YES, _YES, _YES),
    error_codes.ABORTED: Failure(_YES, _NO, _NO),
    error_codes.INTERNAL: Failure(_YES, _YES, _NO),
    error_codes.CANCELED: Failure(_YES, _YES, _NO),
    error_codes.UNKNOWN: Failure(_NO, _YES, _NO),
    error_codes.DATA_LOSS: Failure(_NO, _YES, _NO),
    error_codes.UNAUTHENTICATED: Failure(_NO, _NO, _YES),
    error_codes.PERMISSION_DENIED: Failure(_NO, _NO, _YES),
    error_codes.UNIMPLEMENTED: Failure(_NO, _NO, _YES),
}
_REQUEST_WAS_WRONG: Final = Failure()


def failure_of(code: str) -> Failure:
    """Return what `code` means; a code that is not in the table says that the request was wrong."""
    return _TABLE.get(code, _REQUEST_WAS_WRONG)


def may_yet_succeed(code: str) -> bool:
    """Whether the same call may succeed later: by itself, or once somebody has mended a key."""
    return failure_of(code).is_tooling or code == error_codes.UNAUTHENTICATED
