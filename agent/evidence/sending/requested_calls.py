"""Makes the calls that a benchmark's function asks for while it runs.

The function runs in another process. It may only read, and may not call another function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay, call_to_send
from controlplane.agent.evidence.sending.sent_calls import SentCalls
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    bound_arguments,
    error_codes,
)

SIDE_BY_SIDE: Final = 16
"""How many calls of one function may run at a time."""

Request: TypeAlias = tuple[str, Mapping[str, Plain]]
"""A call that a function asks for: `("read", {"path": "/a.md"})`."""
Outcome: TypeAlias = Mapping[str, Plain] | CallError
"""The result of a call, or its error."""


@dataclass(frozen=True, slots=True)
class RequestedCalls:
    """Makes the calls that one function asks for."""

    tool_schema: ToolSchema
    sent_calls: SentCalls
    function_call: CallUnderWay | None
    """The call of the function itself."""

    def make_all(self, requests: Sequence[Request]) -> list[Outcome]:
        """Make the calls, and return their outcomes in order.

        Up to `SIDE_BY_SIDE` of them run at a time, if the environment allows it. A
        failed call does not end the others.
        """
        sent: list[CallUnderWay] = []
        sent_or_refused: list[CallUnderWay | CallError] = []
        try:
            for operation, arguments in requests:
                if len(sent) >= SIDE_BY_SIDE:
                    # Before the 17th call is sent, the first one must have ended.
                    sent[-SIDE_BY_SIDE].outcome()
                call = self._send(operation, arguments)
                sent_or_refused.append(call)
                if isinstance(call, CallUnderWay):
                    sent.append(call)
            return [self._outcome_of(call) for call in sent_or_refused]
        finally:
            self.sent_calls.await_end(sent)  # After an exception, some may still run.

    def _send(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | CallError:
        """Send a call, or return why it is refused."""
        declared = self.tool_schema.operation(operation)
        if declared is not None:
            try:
                arguments = bound_arguments(declared, (), dict(arguments))
            except CallError as error:
                return error
        if not self.tool_schema.is_plain_read(operation, arguments):
            msg = f"{operation} is not declared to only read"
            return CallError(error_codes.PERMISSION_DENIED, msg)
        call = call_to_send(
            operation, arguments, in_verify=self._in_verify, outer=self._function_number
        )
        return self.sent_calls.send(call, runs_beside_others=True)

    @property
    def _in_verify(self) -> bool:
        """True if a script's `verify`, its own check of its answer, called the function."""
        return self.function_call is not None and self.function_call.call.in_verify

    @property
    def _function_number(self) -> int | None:
        """The position in the step of the function's own call."""
        return None if self.function_call is None else self.function_call.number

    def _outcome_of(self, call: CallUnderWay | CallError) -> Outcome:
        """Record the outcome of a call, and return it."""
        if isinstance(call, CallError):
            return call
        try:
            return self.sent_calls.receive(call)
        except CallError as error:
            return error
