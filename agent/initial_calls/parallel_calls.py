"""Sends the calls for a trial's first message, those that only read side by side.

A call that may change something runs alone, so that the others read either before or after it:

    read /a.md         sent
    read /b.md         sent beside it
    exec /bin/init     waits for both, is sent, and ends
    read /c.md         sent
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.planned_call import planned_call
from controlplane.agent.evidence.recorder import Recorder
from controlplane.sandbox.interface import Plain


class ParallelCalls:
    """Sends calls, as far as possible without waiting for those before."""

    def __init__(self, recorder: Recorder) -> None:
        self._sender = recorder.calls.sender
        self._tool_schema = recorder.tool_schema
        self.sent: list[CallUnderWay] = []
        """The calls in the order in which they were sent. They may still run."""

    def send(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay:
        """Send a call and return it. Its outcome is waited for only if it must run alone."""
        may_change = self._tool_schema.may_change(operation, arguments)
        if may_change:
            for earlier in self.sent:
                earlier.outcome()
        new = planned_call(operation, arguments)
        call = self._sender.send(new, runs_beside_others=not may_change)
        self.sent.append(call)
        runs_alone = may_change or not self._tool_schema.reads_side_by_side
        if runs_alone:
            call.outcome()  # The next call is sent after this one has ended.
        return call
