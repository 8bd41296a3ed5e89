"""Makes the calls that a benchmark's function asks for while it runs.

A function, such as `books_by(author)`, is code that runs in another process. It asks the trial for
calls, which may only read, in lists:

    [("read", {"path": "/books/b1.json"}), ("write", {"path": "/a.md", "content": "x"})]
        -> [{"content": "..."}, CallError("write is not declared to only read")]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.numbered_call import NumberedCall
from controlplane.agent.evidence.sending.function_request import (
    Answer,
    Request,
    requested_call,
)
from controlplane.agent.evidence.sending.sent_calls import SentCalls
from controlplane.sandbox.interface import CallError, Plain, ToolSchema

MOST_AT_A_TIME: Final = 16
"""How many calls of one function may run at a time, if it asks for a hundred reads."""


@dataclass(slots=True)
class RequestedCalls:
    """Makes the calls that the functions of one trial ask for. One function runs at a time."""

    sent_calls: SentCalls
    """Sends the calls to the environment."""
    tool_schema: ToolSchema
    """The declared operations, which say which calls only read."""
    running_function: NumberedCall | None = None
    """The call of the function that runs now. Its process does not know which call this is, but
    the journal says it of each call that the process asks for."""

    def make(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make a call for the running function, and return its result. Raises `CallError`."""
        result = self.make_all([(operation, arguments)])[0]
        if isinstance(result, CallError):
            raise result
        return dict(result)

    def make_all(self, requests: Sequence[Request]) -> list[Answer]:
        """Make calls for the running function, if there is one, and return the answers in order."""
        return self.make_for(self.running_function, requests)

    def make_for(
        self, function: NumberedCall | None, requests: Sequence[Request]
    ) -> list[Answer]:
        """Make the calls that a function has asked for, and return the answers in order."""
        sent: list[CallUnderWay] = []
        calls: list[CallUnderWay | CallError] = []  # one for each request
        try:
            for request in requests:
                call = requested_call(request, self.tool_schema, function)
                if isinstance(call, CallError):  # It is refused.
                    calls.append(call)
                    continue
                if len(sent) >= MOST_AT_A_TIME:
                    # All before this one have ended. Wait for it, so that the next one may run.
                    oldest_running = sent[-MOST_AT_A_TIME]
                    oldest_running.outcome()
                sent_call = self.sent_calls.send(call, runs_beside_others=True)
                sent.append(sent_call)
                calls.append(sent_call)
            return [self._receive(call) for call in calls]
        finally:
            self.sent_calls.await_end(sent)  # After an exception, some still run.

    def _receive(self, call: CallUnderWay | CallError) -> Answer:
        """Wait for a call, and return its result or its error; at once for a refused one."""
        if isinstance(call, CallError):
            return call
        try:
            return self.sent_calls.receive(call)
        except CallError as error:
            return error
