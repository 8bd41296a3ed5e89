"""The one kind of error of the wire: what failed, whether it may have happened, and whether it may pass."""

from __future__ import annotations

from typing import Final

from sandbox.interface import error_codes

PASSING: Final = frozenset(
    {
        error_codes.UNAVAILABLE,
        error_codes.RESOURCE_EXHAUSTED,
        error_codes.DEADLINE_EXCEEDED,
        "aborted",
        error_codes.INTERNAL,
        error_codes.CANCELED,
    }
)
"""Codes of failures that another attempt may not meet."""
DOUBTFUL: Final = frozenset(
    {error_codes.UNKNOWN, error_codes.INTERNAL, error_codes.DEADLINE_EXCEEDED, "data_loss", error_codes.CANCELED}
)
"""Codes that leave open whether the server did what was asked."""


class WireError(Exception):
    """A call failed. The text never holds the request."""

    def __init__(self, code: str, message: str, *, may_have_happened: bool, passing: bool) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        """A Connect code."""
        self.message = message
        self.may_have_happened = may_have_happened
        """False only where the call never left, or where the server itself says that it did nothing."""
        self.passing = passing
        """Whether another attempt may not meet it."""
        self.is_foreign = False
        """Whether something else than the platform answered: a proxy, a balancer, another site at a wrong address."""
        self.is_bare_503 = False
        """Whether it is a 503 without a code: most likely a refusal, but by whom is not known."""
        self.retry_after_s: float | None = None
        """How long the server asked to wait before any further call."""

    def __reduce__(self) -> tuple[object, ...]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("code", "message")}
        return _rebuilt, (self.code, self.message, state)

    def saying(self, message: str) -> WireError:
        """Return the same error in other words."""
        return _rebuilt(self.code, message, {**self.__dict__, "message": message})


def _rebuilt(code: str, message: str, state: dict[str, object]) -> WireError:
    error = WireError(code, message, may_have_happened=False, passing=False)
    error.__dict__.update(state)
    return error
