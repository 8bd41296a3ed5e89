"""The error with which the wire server refuses a call, with the statuses of the Connect protocol."""

from __future__ import annotations

from typing import Final

from sandbox.interface import error_codes

STATUS: Final = {
    "canceled": 499,
    "unknown": 500,
    "invalid_argument": 400,
    "deadline_exceeded": 504,
    "not_found": 404,
    "already_exists": 409,
    "permission_denied": 403,
    "resource_exhausted": 429,
    "failed_precondition": 400,
    "aborted": 409,
    "out_of_range": 400,
    "unimplemented": 501,
    "internal": 500,
    "unavailable": 503,
    "data_loss": 500,
    "unauthenticated": 401,
}
"""HTTP statuses by the codes of the protocol."""


class Refused(Exception):
    """A refused call. `status` replaces the code's own status if HTTP has a better one."""

    def __init__(
        self, code: str, message: str, *, retry_after_s: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code if code in STATUS else error_codes.INTERNAL
        self.message = message
        self.retry_after_s = retry_after_s
        self.status = status or STATUS[self.code]
