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
    all_stops: Container[StopKey],
) -> ClosedStop | None:
    """Return what became of a stopped call if a call is sent now; None if that does not show it.

    Two calls are the same if their operations and arguments are. `all_stops` has the stopped calls
    of the trial. For example, `write("/a.md", "x")` was stopped, and then `write("/a.md", "z")`. Of
    the first one,

    - `write("/a.md", "x")` shows that it is done all the same,
    - `write("/a.md", "y")` that it is done otherwise, as the path is the same,
    - `write("/a.md", "z")` nothing: it shows that the second is done all the same,
    - `write("/b.md", "x")`, or another operation, nothing.
    """
    if operation != stop.operation:
        return None
    # The keys are those of the check that stopped the call. Only its stops are compared.
    sent_key = stop_key(stop.by, operation, arguments)
    stopped_key = stop_key(stop.by, stop.operation, stop.arguments)
    if sent_key == stopped_key:
        return ClosedStop(stop, DONE_ALL_THE_SAME)

    repeats_another_stop = sent_key in all_stops
    is_same_path = arguments.get("path") == stop.arguments.get("path")  # or both None
    if repeats_another_stop or not is_same_path:
        return None
    return ClosedStop(stop, DONE_OTHERWISE)
