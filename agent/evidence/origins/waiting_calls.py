"""The calls whose results are not learnt yet, because most trials need none of them."""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import CallRecord

MOST_WAITING_CHARS: Final = 1_000_000
"""The most characters of results that wait for the first look-up."""


class WaitingCalls:
    """The calls of one trial that wait until an origin is looked up."""

    def __init__(self) -> None:
        self._calls: list[CallRecord] = []
        self._result_chars = 0
        """The size of their results, in characters."""

    def add(self, call: CallRecord) -> None:
        """Add a call."""
        self._calls.append(call)
        self._result_chars += len(str(call.result))

    @property
    def is_full(self) -> bool:
        """True if the results are so long that they must wait no longer."""
        return self._result_chars > MOST_WAITING_CHARS

    def take_all(self) -> list[CallRecord]:
        """Return the calls in order. They no longer wait then."""
        calls = self._calls
        self._calls = []
        self._result_chars = 0
        return calls
