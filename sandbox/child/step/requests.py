"""The requests of a script: calls, citations and the answer, and the exceptions for refused ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from controlplane.sandbox.child.step.scratchpad import (
    CitationError,
    GateRejection,
    HarnessError,
)
from controlplane.sandbox.child.walls.step_timers import longer_call
from controlplane.sandbox.functions import Call
from controlplane.sandbox.functions import Outcome as CallOutcome
from controlplane.sandbox.interface.error_codes import NOT_FOUND
from controlplane.sandbox.interface.messages import (
    NOT_ACCEPTED,
    UNBOUND,
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    Failed,
    Outcome,
    Request,
    decode_outcome,
    encoded,
)

Ask: TypeAlias = Callable[[Request], Outcome]
"""Sends a request to the parent, and returns its reply."""


class Requests:
    """Makes the requests of a script to the parent: calls, citations and the answer.

    `call("read", ["/a.md"], {})` is made for a script's `harness.read("/a.md")`. Each method
    returns what the parent replies. If the parent refuses, it raises the exception that the
    script gets, such as `FileNotFoundError`.
    """

    def __init__(self, ask: Ask, call_seconds: Mapping[str, float]) -> None:
        self._ask = ask
        self._call_seconds = call_seconds
        """The time limits of operations that have one of their own, by name: `{"search": 120.0}`."""

    def call(self, operation: str, positional: list[Any], named: dict[str, Any]) -> Any:
        """Make a call and return its result."""
        request = CallRequest(operation, positional, named)
        longest_s = self._call_seconds.get(operation)
        if longest_s is None:
            return self._granted(request)
        # The call has its own time limit. Its time does not count as time of the step.
        with longer_call(longest_s):
            return self._granted(request)

    def call_all(self, calls: Sequence[Call]) -> list[CallOutcome]:
        """Make several calls at the same time, for a function of the benchmark.

        Returns their outcomes in the same order: the result of each call, or a `CallError`,
        which is not raised. Raises only if the request as a whole is refused.
        """
        requests = []
        for operation, arguments in calls:
            requests.append(encoded(CallRequest(operation, [], dict(arguments))))

        # Each outcome is an encoded message, as the parent would send it in reply to one call.
        outcomes: list[CallOutcome] = []
        for fields in self._granted(CallsRequest(requests)):
            outcome = decode_outcome(fields)
            if isinstance(outcome, Failed):
                outcomes.append(outcome.error())
            else:
                outcomes.append(outcome.value)
        return outcomes

    def cite(self, path: str, reason: str, quote: str) -> str:
        """Cite a path as a source, and return it in its own spelling: `docs/A.md` -> `/docs/a.md`.

        Raises `CitationError` if the parent does not accept it, for example if it was not read.
        """
        request = CiteRequest(path, reason, quote)
        return str(self._granted(request, not_accepted=CitationError))

    def answer(self, request: AnswerRequest) -> None:
        """Submit the answer. Raises `GateRejection`, with the reasons, if its checks refuse it."""
        self._granted(request)

    def _granted(
        self, request: Request, not_accepted: type[Exception] = GateRejection
    ) -> Any:
        """Return what the parent replies to a request. If it refuses, raise that in the script."""
        reply = self._ask(request)
        if not isinstance(reply, Failed):
            return reply.value
        if reply.code == UNBOUND:
            raise TypeError(reply.message)
        if reply.code == NOT_ACCEPTED:
            raise not_accepted(reply.message)
        if reply.code == NOT_FOUND:
            raise FileNotFoundError(reply.message)
        raise HarnessError(reply.code, reply.message)
