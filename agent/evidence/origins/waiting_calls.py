"""The calls whose results wait until they are indexed, because most trials never need that.

Results are indexed to find where the arguments of a changing call come from, such as the
account in `send_money(recipient="GB33...")`. A trial that only reads mails never asks.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import CallRecord

MOST_WAITING_CHARS: Final = 1_000_000
"""How many characters of results may wait. Beyond that, they take too much memory."""


class WaitingCalls:
    """The calls of one trial whose results wait until an origin is looked up."""

    def __init__(self) -> None:
        self._calls: list[CallRecord] = []
        self._result_chars = 0
        """The size of the results, in characters."""

    def add(self, call: CallRecord) -> None:
        """Add a call."""
        self._calls.append(call)
        self._result_chars += len(str(call.result))

    @property
    def is_full(self) -> bool:
        """True if the results are too long to wait any longer."""
        return self._result_chars > MOST_WAITING_CHARS

    def take_all(self) -> list[CallRecord]:
        """Return the calls in order, and let none wait any longer."""
        calls = self._calls
        self._calls = []
        self._result_chars = 0
        return calls
