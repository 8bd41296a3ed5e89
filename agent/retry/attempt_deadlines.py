"""How long each attempt of a call may take: a short first one, and a longer second one for what was merely late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sandbox.interface import CallError, error_codes

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class AttemptDeadlines:
    """The bounds of a call's attempts."""

    first_ms: int = 300
    """0: no bound."""
    second_ms: int = 1_500
    """The bound of the only further attempt, which is made if it is longer than the first."""

    def call(self, attempt: Callable[[int | None], Result], *, asked_ms: int | None = None) -> Result:
        """Return what `attempt` returns, which is handed its bound in milliseconds; None is no bound.

        A call whose bound was asked for, or whose failure is another than being late, has one attempt. Raises the last
        `CallError`.
        """
        bound = self.first_ms if asked_ms is None else asked_ms
        try:
            return attempt(bound or None)
        except CallError as error:
            is_late = error.code == error_codes.DEADLINE_EXCEEDED
            if asked_ms is not None or not is_late or not 0 < bound < self.second_ms:
                raise
        return attempt(self.second_ms)
