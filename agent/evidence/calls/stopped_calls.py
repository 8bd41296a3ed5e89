"""Remembers the calls that a check has stopped, and what became of them.

A check, such as a rule of the environment, may object to a call before it is sent. The call is
then *stopped*, and the model reads the objection. The stopped call is *open* until a call that
is sent shows what became of it:

    transfer(amount=500)    is stopped
    transfer(amount=50)     is sent: the first transfer was "done otherwise"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.events import CallStopped
from controlplane.agent.evidence.calls.closed_stop import ClosedStop, closed_stop
from controlplane.agent.evidence.calls.stop_key import CheckName, StopKey, stop_key


class StoppedCalls:
    """The calls of one trial that a check stopped: they were not sent."""

    def __init__(self) -> None:
        self._stops: dict[StopKey, CallStopped] = {}
        """The event that says why each call was stopped."""
        self._closed: set[StopKey] = set()
        """The stopped calls that are no longer open: it is known what became of them."""

    def add(self, event: CallStopped) -> None:
        """Add the event that a call was stopped, or the later event with its outcome."""
        key = stop_key(event.by, event.operation, event.arguments)
        if event.is_outcome:
            self._closed.add(key)
        else:
            self._stops[key] = event
            self._closed.discard(key)  # The same call may have been stopped before.

    def has(
        self, check: CheckName, operation: str, arguments: Mapping[str, Any]
    ) -> bool:
        """Return True if a check has stopped the same call before."""
        return stop_key(check, operation, arguments) in self._stops

    @property
    def open_stops(self) -> list[CallStopped]:
        """The events of the stopped calls that are open."""
        return [stop for key, stop in self._stops.items() if key not in self._closed]

    def closed_by(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> list[ClosedStop]:
        """Return the open stops that a call closes if it is sent now, with their outcomes."""
        closed: list[ClosedStop] = []
        for stop in self.open_stops:
            closed_now = closed_stop(stop, operation, arguments, self._stops)
            if closed_now is not None:
                closed.append(closed_now)
        return closed
