"""Remembers the calls that a check has stopped, and what became of them.

A check, such as a rule of the environment, may object to a call before it is sent. The call is
then *stopped*, and the model reads the objection. The stopped call is *open* until a call that
is sent shows what became of it. If `write("/a.md", "x")` was stopped:

    write("/a.md", "x") is sent    `DONE_ALL_THE_SAME`: it is the stopped call
    write("/a.md", "y") is sent    `DONE_OTHERWISE`: the operation and the path are the same
    write("/b.md", "x") is sent    the stopped call is still open
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    CallStopped,
)
from controlplane.agent.evidence.calls.stop_key import CheckName, StopKey, stop_key


class ClosedStop(NamedTuple):
    """A stopped call that is no longer open."""

    stop: CallStopped
    """The event that it was stopped."""
    outcome: str
    """What became of it: `DONE_ALL_THE_SAME` or `DONE_OTHERWISE`."""


class StoppedCalls:
    """The calls of one trial that a check stopped: they were not sent."""

    def __init__(self) -> None:
        self._stops: dict[StopKey, CallStopped] = {}
        """Why each call was stopped. The order of its arguments does not change its key."""
        self._open: set[StopKey] = set()
        """The stopped calls of which it is not known what became of them."""

    def add(self, event: CallStopped) -> None:
        """Add the event that a call was stopped, or the later event with its outcome."""
        key = stop_key(event.by, event.operation, event.arguments)
        if event.is_outcome:
            self._open.discard(key)
        else:
            self._stops[key] = event
            # It is open again, if the same call was stopped and closed before.
            self._open.add(key)

    def has(
        self, check: CheckName, operation: str, arguments: Mapping[str, Any]
    ) -> bool:
        """Return True if a check has stopped the same call before."""
        return stop_key(check, operation, arguments) in self._stops

    def closed_by(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> list[ClosedStop]:
        """Return the open stops that a call closes if it is sent now, with their outcomes."""
        closed: list[ClosedStop] = []
        for stopped_key, stop in self._stops.items():
            if stopped_key not in self._open or stop.operation != operation:
                continue
            sent_key = stop_key(stop.by, operation, arguments)
            # Calls without a path, such as `pay(amount=12)`, count as having the same one.
            is_same_path = arguments.get("path") == stop.arguments.get("path")
            repeats_another_stop = sent_key in self._stops
            if sent_key == stopped_key:
                closed.append(ClosedStop(stop, DONE_ALL_THE_SAME))
            elif is_same_path and not repeats_another_stop:
                closed.append(ClosedStop(stop, DONE_OTHERWISE))
        return closed
