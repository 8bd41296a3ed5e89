"""The one kind of error of the wire: what failed, whether it may have happened, and whether it is transient."""

from __future__ import annotations

from agent.retry import failure_of


class WireError(Exception):
    """A call failed. The text never holds the request."""

    def __init__(self, code: str, message: str, *, in_doubt: bool | None = None, transient: bool | None = None) -> None:
        super().__init__(code, message)
        failure = failure_of(code)
        self.code = code
        """A Connect code."""
        self.message = message
        self.in_doubt = failure.in_doubt if in_doubt is None else in_doubt
        """False only if the call never left, or if the server itself says that it did nothing."""
        self.transient = failure.transient if transient is None else transient
        """Whether another attempt may succeed."""
        self.is_foreign = False
        """Whether something else than the platform answered: a proxy, a balancer, another site at a wrong address."""
        self.is_bare_503 = False
        """Whether it is a 503 without a code: most likely a refusal, but by whom is not known."""
        self.retry_after_s: float | None = None
        """How long the server asked to wait before any further call."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def saying(self, message: str) -> WireError:
        """Return the same error in other words."""
        error = WireError(self.code, message)
        error.__dict__.update({**self.__dict__, "message": message})
        return error
