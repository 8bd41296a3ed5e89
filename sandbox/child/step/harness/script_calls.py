"""The calls of a script: requests to the parent, and the exceptions for refused ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from controlplane.sandbox.child.step.script_exceptions import (
    CitationError,
    GateRejection,
    HarnessError,
)
from controlplane.sandbox.child.walls.step_timers import longer_call
from controlplane.sandbox.functions import Call, Outcome
from controlplane.sandbox.interface.error_codes import NOT_FOUND, CallError
from controlplane.sandbox.interface.messages.child_requests import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    NamedCall,
    Request,
)
from controlplane.sandbox.interface.messages.message_fields import MessageFields
from controlplane.sandbox.interface.messages.parent_messages import (
    NOT_ACCEPTED,
    UNBOUND,
    Answered,
    Refused,
    decode_parent_message,
)
from controlplane.sandbox.interface.operations import Operation

Ask: TypeAlias = Callable[[Request], Answered | Refused]
"""Sends a request to the parent, and returns its reply."""


class ScriptCalls:
    """Makes the requests of a script to the parent: calls, citations and the answer.

    `call("read", ["/a.md"], {})` is made for a script's `harness.read("/a.md")`. Each method
    returns what the parent replies. If the parent refuses, it raises the exception that the
    script gets, such as `FileNotFoundError`.
    """

    def __init__(self, ask: Ask, operations: tuple[Operation, ...]) -> None:
        self._ask = ask
        """Sends a request to the parent, and returns its reply."""
        self._call_seconds = _seconds_of_long_calls(operations)
        """The time limits of operations that have one of their own, by name."""

    def call(self, operation: str, positional: list[Any], named: dict[str, Any]) -> Any:
        """Make a call and return its result."""
        request = CallRequest(operation, positional, named)
        longest_s = self._call_seconds.get(operation)
        if longest_s is None:
            reply = self._ask(request)
        else:
            # The call has its own time limit. Its time does not count as time of the step.
            with longer_call(longest_s):
                reply = self._ask(request)

        if isinstance(reply, Refused):
            raise _call_exception(reply)
        return reply.value

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make several calls at the same time, for a function of the benchmark.

        Returns their outcomes in the same order: the result of each call, or a `CallError`,
        which is not raised. Raises only if the request as a whole is refused.
        """
        named_calls = [
            NamedCall(operation, dict(arguments)) for operation, arguments in calls
        ]
        reply = self._ask(CallsRequest(named_calls))
        if isinstance(reply, Refused):
            raise _call_exception(reply)

        # The value of the reply is a list. Each item is an encoded message, as the parent would
        # send it in reply to a single call.
        outcomes: list[Outcome] = []
        for encoded_reply in reply.value:
            match decode_parent_message(MessageFields(encoded_reply)):
                case Answered(result):
                    outcomes.append(result)
                case Refused(code, message):
                    outcomes.append(CallError(code, message))
        return outcomes

    def cite(self, path: str, reason: str, quote: str) -> str:
        """Cite a path as a source, and return it in its own spelling: `docs/A.md` -> `/docs/a.md`.

        Raises `CitationError` if the parent does not accept it, for example if it was not read.
        """
        reply = self._ask(CiteRequest(path, reason, quote))
        if isinstance(reply, Answered):
            return str(reply.value)
        if reply.code == NOT_ACCEPTED:
            raise CitationError(reply.message)
        raise _call_exception(reply)

    def submit(self, request: AnswerRequest) -> None:
        """Submit the answer. Raises `GateRejection`, with the reasons, if its checks refuse it."""
        reply = self._ask(request)
        if isinstance(reply, Refused):
            raise _call_exception(reply)


def _seconds_of_long_calls(operations: tuple[Operation, ...]) -> dict[str, float]:
    """Return the seconds that calls may take beside their step's: `{"search": 120.0}`.

    Operations without such time are left out.
    """
    seconds = {}
    for operation in operations:
        if operation.longest_s:
            seconds[operation.name] = operation.longest_s
    return seconds


def _call_exception(refused: Refused) -> Exception:
    """Return the exception that a script's call raises if the parent refuses it or it fails."""
    if refused.code == UNBOUND:
        return TypeError(refused.message)
    if refused.code == NOT_ACCEPTED:
        return GateRejection(refused.message)
    if refused.code == NOT_FOUND:
        return FileNotFoundError(refused.message)
    return HarnessError(refused.code, refused.message)
