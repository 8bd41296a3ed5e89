"""Makes the calls that a benchmark's function asks for while it runs.

A function, such as `books_by(author)`, is code of the benchmark that runs in another process.
It asks the trial for the calls that it needs. They may only read:

    [("read", {"path": "/books/b1.json"}), ("write", {"path": "/a.md", "content": "x"})]
        -> [{"content": "..."}, CallError("write is not declared to only read")]

If it asks for reads of a hundred files, several run side by side.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.placed_call import PlacedCall, call_to_send
from controlplane.agent.evidence.sending.sent_calls import SentCalls
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    bound_arguments,
    error_codes,
)

Request: TypeAlias = tuple[str, Mapping[str, Plain]]
"""A call that a function asks for: `("read", {"path": "/a.md"})`."""
Outcome: TypeAlias = Mapping[str, Plain] | CallError
"""The result of a call, or its error."""
SentOrRefused: TypeAlias = CallUnderWay | CallError
"""A call that was sent, or the reason why it was not."""

MOST_AT_A_TIME: Final = 16
"""How many calls of one function may run at a time."""


@dataclass(slots=True)
class RequestedCalls:
    """Makes the calls that the functions of one trial ask for. One function runs at a time."""

    sent_calls: SentCalls
    """Sends the calls to the environment."""
    tool_schema: ToolSchema
    """The declared operations, which say which calls only read."""
    running_function: PlacedCall | None = None
    """The call of the function that runs now, with its place in the step; None between
    functions. The process of the scripts could ask even then, and may read, too."""

    def make(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call, and return its result. Raises `CallError`."""
        outcome = self.make_all([(operation, arguments)])[0]
        if isinstance(outcome, CallError):
            raise outcome
        return dict(outcome)

    def make_all(self, requests: Sequence[Request]) -> list[Outcome]:
        """Make the calls, and return their outcomes in order. An error does not end the others.

        If the environment allows several calls at a time, up to 16 run: of 17 reads, the first
        is waited for before the last one is sent.
        """
        calls: list[SentOrRefused] = []  # one for each request
        running: deque[CallUnderWay] = deque()  # The sent ones that may still run.
        # 1. Send all. If too many run, wait for the earliest one.
        try:
            for operation, arguments in requests:
                if len(running) == MOST_AT_A_TIME:
                    running.popleft().outcome()
                call = self._send(operation, arguments)
                calls.append(call)
                if isinstance(call, CallUnderWay):
                    running.append(call)
            # 2. Receive their outcomes, which writes them to the journal in this order.
            return [self._receive(call) for call in calls]
        finally:
            self.sent_calls.await_end(running)  # After an exception, some still run.

    def _send(self, operation: str, arguments: Mapping[str, Plain]) -> SentOrRefused:
        """Send a call, or return why it is refused: `write is not declared to only read`."""
        declared = self.tool_schema.operation(operation)
        if declared is None:
            return _refusal(operation)
        try:
            arguments = bound_arguments(declared, (), dict(arguments))
        except CallError as error:
            return error  # It has an argument that the operation does not have.
        if not self.tool_schema.is_plain_read(operation, arguments):
            return _refusal(operation)
        function = self.running_function
        call = call_to_send(
            operation,
            arguments,
            in_verify=function is not None and function.call.in_verify,
            outer=None if function is None else function.number,
        )
        return self.sent_calls.send(call, runs_beside_others=True)

    def _receive(self, call: SentOrRefused) -> Outcome:
        """Wait for a call if it still runs, and return its result or its error."""
        if isinstance(call, CallError):
            return call
        try:
            return self.sent_calls.receive(call)
        except CallError as error:
            return error


def _refusal(operation: str) -> CallError:
    """Return the error of a call that may change something, or that is not declared at all."""
    msg = f"{operation} is not declared to only read"
    return CallError(error_codes.PERMISSION_DENIED, msg)
