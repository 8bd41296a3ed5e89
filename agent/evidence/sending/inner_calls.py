"""Makes the *inner calls*: those that a benchmark's function asks for while it runs.

A function, such as `books_by(author)`, is code that runs in another process. It asks the trial for
calls, one by one or in lists, and gets a result or an error for each. The calls may only read:

    [("read", {"path": "/books/b1.json"}), ("write", {"path": "/a.md", "content": "x"})]
        -> [{"content": "..."}, CallError("write is not declared to only read")]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.evidence.calls.numbered_call import NumberedCall
from controlplane.agent.evidence.sending.call_sender import CallSender
from controlplane.agent.evidence.sending.function_request import (
    Request,
    requested_call,
)
from controlplane.agent.evidence.sending.side_by_side_calls import (
    Answer,
    make_side_by_side,
)
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


@dataclass(slots=True)
class InnerCalls:
    """Makes the calls that the functions of one trial ask for. One function runs at a time."""

    sender: CallSender
    """Sends the calls to the environment."""
    tool_schema: ToolSchema
    """The declared operations, which say which calls only read."""
    running_function: NumberedCall | None = None
    """The call of the function that runs now, set while it runs. The journal names this call with
    each inner call."""

    def make(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call, and return its result. Raises `CallError`."""
        [answer] = self.make_all([(operation, arguments)])
        if isinstance(answer, CallError):
            raise answer
        return dict(answer)

    def make_all(self, requests: Sequence[Request]) -> list[Answer]:
        """Make the calls of a list, side by side if possible, and return the answers in order."""
        function = self.running_function
        # A request for a call that may change something becomes an error here.
        calls = [
            requested_call(request, self.tool_schema, function) for request in requests
        ]
        return make_side_by_side(calls, self.sender)
