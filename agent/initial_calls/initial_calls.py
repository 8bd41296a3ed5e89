"""Makes the calls for a trial's first message, before the model is asked, each of them once.

Several parts of the message may need the same file. It is read for the first, and the others get
the same call:

    calls.send("read", {"path": "/docs/a.md"})    sends the call, which may still run
    calls.send("read", {"path": "/docs/a.md"})    -> the same call; nothing is sent
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.call_key import key_of
from controlplane.agent.initial_calls.parallel_calls import ParallelCalls
from controlplane.sandbox.interface import Plain

MAX_INITIAL_CALLS: Final = 24
"""With this many calls, no further files are looked for. Declared calls are made even then."""


class InitialCalls:
    """The initial calls of a trial, by their operation and arguments."""

    def __init__(self, recorder: Recorder) -> None:
        self.tool_schema = recorder.tool_schema
        self._calls = ParallelCalls(recorder)
        self._call_by_key: dict[str, CallUnderWay] = {}

    @property
    def all_calls(self) -> list[CallUnderWay]:
        """The calls in the order in which they were sent."""
        return self._calls.sent

    @property
    def remaining_calls(self) -> int:
        """How many more calls may read files that fit the request."""
        return max(MAX_INITIAL_CALLS - len(self._calls.sent), 0)

    def send(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay:
        """Return the call with these arguments. It is sent now, unless it was sent before."""
        return self._send_once(key_of(operation, arguments), operation, arguments)

    def send_again(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay:
        """Return the second try of a call that has failed. There is no third one."""
        key = f"{key_of(operation, arguments)} again"
        return self._send_once(key, operation, arguments)

    def sent_call(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | None:
        """Return the first try of the call with these arguments; None if none was sent."""
        return self._call_by_key.get(key_of(operation, arguments))

    def _send_once(
        self, key: str, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay:
        """Return the call that was sent with this key; send it if there is none."""
        call = self._call_by_key.get(key)
        if call is None:
            call = self._calls.send(operation, arguments)
            self._call_by_key[key] = call
        return call
