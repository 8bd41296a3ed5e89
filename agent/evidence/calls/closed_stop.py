"""What became of a stopped call, once a later call is sent.

A check may object to a call before it is sent. The call is then *stopped*, and the model reads
why. What the model sends next may show what became of the stopped call:

    transfer(amount=500)    is stopped
    transfer(amount=50)     is sent: the first transfer was "done otherwise"
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, NamedTuple

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    CallStopped,
)
from controlplane.agent.evidence.calls.stop_key import StopKey, stop_key


class ClosedStop(NamedTuple):
    """A stopped call, and what became of it now that a later call is sent."""

    stop: CallStopped
    """The event that it was stopped."""
    outcome: str
    """`DONE_ALL_THE_SAME` or `DONE_OTHERWISE`."""


def closed_stop(
    stop: CallStopped,
    operation: str,
    arguments: Mapping[str, Any],
    stopped_before: Container[StopKey],
) -> ClosedStop | None:
    """Return what became of a stopped call if a call is sent now; None if that does not show it.

    `stopped_before` has the calls that were stopped. After `write("/a.md", "x")` was stopped, and
    also `write("/a.md", "z")`:

    | sent | what became of the first |
    |---|---|
    | `write("/a.md", "x")` | it is done all the same |
    | `write("/a.md", "y")` | it is done otherwise, as the path is the same |
    | `write("/a.md", "z")` | None: only the second is done all the same |
    | `write("/b.md", "x")`, or another operation | None |
    """
    if operation != stop.operation:
        return None
    sent_key = stop_key(stop.by, operation, arguments)
    if sent_key == stop_key(stop.by, stop.operation, stop.arguments):
        return ClosedStop(stop, DONE_ALL_THE_SAME)
    is_same_path = arguments.get("path") == stop.arguments.get("path")
    if is_same_path and sent_key not in stopped_before:
        return ClosedStop(stop, DONE_OTHERWISE)
    return None
