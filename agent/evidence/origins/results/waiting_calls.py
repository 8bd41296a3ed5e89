"""Keeps the calls that have only read until their texts are needed.

To split a result into texts is slow, and a trial that changes nothing never needs them. So the
results wait until a changing call, such as `send_money(recipient="GB33...")`, is to be looked up:

    waiting.add(call)    # `read("/mail/7.md")`, with its result
    waiting.take()       # -> [call]; none waits any more
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.origins.results.received_call import ReceivedCall

MAX_WAITING_CHARS: Final = 1_000_000
"""How many characters of results may wait. Beyond that, they take too much memory."""


class WaitingCalls:
    """The calls of one trial whose results wait."""

    def __init__(self) -> None:
        self._calls: list[ReceivedCall] = []
        self._result_chars = 0

    @property
    def is_full(self) -> bool:
        """True if the results are too long to wait. They should be taken then."""
        return self._result_chars > MAX_WAITING_CHARS

    def add(self, call: ReceivedCall) -> None:
        """Let the result of a call wait."""
        self._calls.append(call)
        self._result_chars += len(str(call.record.result))

    def take(self) -> list[ReceivedCall]:
        """Return the calls in their order. They no longer wait."""
        calls = self._calls
        self._calls = []
        self._result_chars = 0
        return calls
