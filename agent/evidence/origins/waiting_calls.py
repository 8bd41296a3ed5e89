"""The calls whose results are not indexed yet.

Results are indexed to find where the arguments of a changing call come from, such as the
account in `send_money(recipient="GB33...")`. Indexing is slow, and a trial that only reads
mails never needs it. So results wait until the first changing call.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import CallRecord

MOST_WAITING_CHARS: Final = 1_000_000
"""How many characters of results may wait. Beyond that, they take too much memory."""


class WaitingCalls:
    """The calls of one trial whose results are not indexed yet, in the order of the calls."""

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
        """Return the calls, and remove them all."""
        calls = self._calls
        self._calls = []
        self._result_chars = 0
        return calls
