"""Makes the calls for a trial's first message, before the model is asked.

They read the workspace's rules, for example. Each is made once:

    call = calls.send("read", {"path": "/docs/a.md"})   may return before the call ends
    calls.result(call)                                  waits -> {"content": "Keys ..."}
    calls.send("read", {"path": "/docs/a.md"})          -> the same call; nothing is sent
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.planned_call import planned_call
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.call_key import key_of
from controlplane.sandbox.interface import Plain

MAX_INITIAL_CALLS: Final = 24
"""With this many calls, no further files are looked for. Declared calls are made even then."""


class InitialCalls:
    """Makes the initial calls of a trial, those that only read side by side, if possible."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.tool_schema = recorder.tool_schema
        self._sent: dict[str, CallUnderWay] = {}  # by `key_of`, in their order

    @property
    def remaining_calls(self) -> int:
        """How many more calls may read files that fit the request."""
        return max(MAX_INITIAL_CALLS - len(self._sent), 0)

    @property
    def all_calls(self) -> list[CallUnderWay]:
        """The calls in the order in which they were sent."""
        return list(self._sent.values())

    def send(
        self, operation: str, arguments: Mapping[str, Plain], *, again: bool = False
    ) -> CallUnderWay:
        """Send a call, unless it was sent before, and return it.

        With `again`, a call that has failed is sent a second time, but not a third time.
        """
        key = key_of(operation, arguments, again=again)
        if key in self._sent:
            return self._sent[key]

        may_change = self.tool_schema.may_change(operation, arguments)
        if may_change:
            # All earlier calls end first, so that they read what was there before the change.
            for earlier in self._sent.values():
                earlier.outcome()
        new = planned_call(operation, arguments)
        sender = self.recorder.calls.sender
        call = sender.send(new, runs_beside_others=not may_change)
        self._sent[key] = call
        if may_change or not self.tool_schema.reads_side_by_side:
            call.outcome()  # The next call waits for this one.
        return call

    def result(self, call: CallUnderWay) -> Mapping[str, Plain]:
        """Wait for a call and return its result; an empty mapping if it failed."""
        return call.outcome().result or {}

    def sent_call(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | None:
        """Return the call with these arguments that was sent first; None if there is none."""
        return self._sent.get(key_of(operation, arguments))
