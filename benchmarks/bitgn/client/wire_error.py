"""The one kind of error of the wire: what failed, whether it may have happened, and whether it is transient."""

from __future__ import annotations

from agent.retry import failure_of


class WireError(Exception):
    """A call failed. The text never holds the request."""

    def __init__(self, code: str, message: str, *, in_doubt: bool | None = None, transient: bool | None = None) -> None:
        super().__init__(f"{code}: {message}")
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

    def __reduce__(self) -> tuple[object, ...]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("code", "message")}
        return _rebuilt, (self.code, self.message, state)

    def saying(self, message: str) -> WireError:
        """Return the same error in other words."""
        return _rebuilt(self.code, message, {**self.__dict__, "message": message})


def _rebuilt(code: str, message: str, state: dict[str, object]) -> WireError:
    error = WireError(code, message)
    error.__dict__.update(state)
    return error
