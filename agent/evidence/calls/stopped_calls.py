"""Remembers the calls that a check has stopped, and what became of them.

A check, such as a rule of the environment, may object to a call before it is sent. The
call is then *stopped*, and the model reads the objection. If the model makes the same call
again, or a similar one, the stopped call is *settled*: its outcome is known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    NOT_DONE,
    CallStopped,
)

CheckName: TypeAlias = Literal["check", "provenance"]
"""The name of a check in events."""
ENVIRONMENT_CHECK: Final = "check"
"""The environment's pre-call check, a function that knows the environment's rules."""
ORIGIN_RULE: Final = "provenance"
"""The rule on origins, which objects to values that only running text has."""
StopKey: TypeAlias = tuple[CheckName, str]
"""The check that stopped a call, and the call as text: `("check", '["move", {"to": "/a"}]')`."""


class StoppedCalls:
    """The calls of one trial that a check stopped: they were not sent.

    If the model later makes such a call again, or a similar one, the stopped call is *settled*:
    its outcome is known. After a stopped `transfer(amount=500)`, the sent `transfer(amount=50)`
    gives the outcome `DONE_OTHERWISE`.
    """

    def __init__(self) -> None:
        self._stops: dict[StopKey, CallStopped] = {}
        """The event that says why each call was stopped."""
        self._settled: set[StopKey] = set()
        """The settled calls: it is known what became of them."""

    def add(self, stop: CallStopped) -> None:
        """Add the event that a call was stopped, or the later event with its outcome."""
        key = _key_of(stop.by, stop.operation, stop.arguments)
        if stop.is_outcome:
            self._settled.add(key)
        else:
            self._stops[key] = stop
            self._settled.discard(key)  # It may have been stopped and settled before.

    def has(
        self, check: CheckName, operation: str, arguments: Mapping[str, Any]
    ) -> bool:
        """Return True if a check has stopped the same call before."""
        return _key_of(check, operation, arguments) in self._stops

    @property
    def unsettled(self) -> list[CallStopped]:
        """The stopped calls that are not settled yet."""
        return [stop for key, stop in self._stops.items() if key not in self._settled]

    def outcome(
        self, stop: CallStopped, operation: str, arguments: Mapping[str, Any]
    ) -> str:
        """Return what becomes of a stopped call if the model now sends a call.

        - The same call: `DONE_ALL_THE_SAME`.
        - A call with the same operation and path, but other arguments: `DONE_OTHERWISE`,
          as it takes the place of the stopped call. But if it repeats a second stopped
          call, it is only the outcome of that one.
        - Any other call: still `NOT_DONE`.
        """
        if operation != stop.operation:
            return NOT_DONE
        sent_key = _key_of(stop.by, operation, arguments)
        if sent_key == _key_of(stop.by, stop.operation, stop.arguments):
            return DONE_ALL_THE_SAME
        is_same_path = arguments.get("path") == stop.arguments.get("path")
        repeats_other_stop = sent_key in self._stops
        if is_same_path and not repeats_other_stop:
            return DONE_OTHERWISE
        return NOT_DONE


def _key_of(check: CheckName, operation: str, arguments: Mapping[str, Any]) -> StopKey:
    """Return the key by which a repetition of a call is recognised.

    The order of its arguments does not matter.
    """
    return check, json.dumps([operation, arguments], sort_keys=True)
