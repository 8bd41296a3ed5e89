"""Remembers the calls that a check has stopped, and what became of them.

A check, such as a rule of the environment, may object to a call before it is sent. The call is
then *stopped*, and the model reads the objection. The stopped call is *open* until a call that
is sent shows what became of it:

    transfer(amount=500)    is stopped
    transfer(amount=50)     is sent: the first transfer was "done otherwise"
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    CallStopped,
)

CheckName: TypeAlias = Literal["check", "provenance"]
"""The name of a check in events."""
ENVIRONMENT_CHECK: Final = "check"
"""The environment's pre-call check, a function that knows the environment's rules."""
ORIGIN_RULE: Final = "provenance"
"""The check of origins, which objects to values that only running text has."""
StopKey: TypeAlias = tuple[CheckName, str]
"""The check that stopped a call, and the call as text: `("check", '["move", {"to": "/a"}]')`."""


class ClosedStop(NamedTuple):
    """A stopped call, and what became of it now that a later call is sent."""

    stop: CallStopped
    """The event that it was stopped."""
    outcome: str
    """`DONE_ALL_THE_SAME` or `DONE_OTHERWISE`."""


class StoppedCalls:
    """The calls of one trial that a check stopped: they were not sent."""

    def __init__(self) -> None:
        self._stops: dict[StopKey, CallStopped] = {}
        """The event that says why each call was stopped."""
        self._closed: set[StopKey] = set()
        """The stopped calls that are no longer open: it is known what became of them."""

    def add(self, event: CallStopped) -> None:
        """Add the event that a call was stopped, or the later event with its outcome."""
        key = _key_of(event.by, event.operation, event.arguments)
        if event.is_outcome:
            self._closed.add(key)
        else:
            self._stops[key] = event
            self._closed.discard(key)  # The same call may have been stopped before.

    def has(
        self, check: CheckName, operation: str, arguments: Mapping[str, Any]
    ) -> bool:
        """Return True if a check has stopped the same call before."""
        return _key_of(check, operation, arguments) in self._stops

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
            outcome = self._outcome(stop, operation, arguments)
            if outcome is not None:
                closed.append(ClosedStop(stop, outcome))
        return closed

    def _outcome(
        self, stop: CallStopped, operation: str, arguments: Mapping[str, Any]
    ) -> str | None:
        """Return what became of a stopped call; None if the sent call does not show it.

        After `write("/a.md", "x")` was stopped:

        | sent | outcome |
        |---|---|
        | the same call | `DONE_ALL_THE_SAME` |
        | `write("/a.md", "y")` | `DONE_OTHERWISE`: it takes the place of the stopped call |
        | `write("/a.md", "z")`, which was stopped, too | None: it is only done all the same |
        | `write("/b.md", "x")`, or any other call | None |
        """
        if operation != stop.operation:
            return None
        sent_key = _key_of(stop.by, operation, arguments)
        if sent_key == _key_of(stop.by, stop.operation, stop.arguments):
            return DONE_ALL_THE_SAME
        is_same_path = arguments.get("path") == stop.arguments.get("path")
        repeats_other_stop = sent_key in self._stops
        if is_same_path and not repeats_other_stop:
            return DONE_OTHERWISE
        return None


def _key_of(check: CheckName, operation: str, arguments: Mapping[str, Any]) -> StopKey:
    """Return the key by which a repetition of a call is recognised.

    The order of its arguments does not matter.
    """
    return check, json.dumps([operation, arguments], sort_keys=True)
