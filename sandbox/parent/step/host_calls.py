"""Makes the calls of a step at the host, the environment's own code.

The host is told by when each call must have ended, so that it can give up a slow one in time.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Mapping, Sequence

from controlplane.sandbox.interface.error_codes import CallError
from controlplane.sandbox.interface.messages.child_requests import NamedCall
from controlplane.sandbox.interface.messages.parent_messages import (
    answer_bytes,
    refusal_bytes,
)
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.plain_data import Plain
from controlplane.sandbox.interface.results import ResultFields, guarded, plain_result
from controlplane.sandbox.parent.step.step_deadline import StepDeadline
from controlplane.sandbox.parent.step.trial_state import TrialState


class HostCalls:
    """Makes the calls of one step at the host: the environment's code, which answers calls.

    Before each call, the host is told the moment by which it has to end.
    """

    def __init__(self, state: TrialState, deadline: StepDeadline) -> None:
        self._state = state
        self._deadline = deadline

    def call(
        self, operation: Operation, arguments: dict[str, Plain], *, in_verify: bool
    ) -> ResultFields:
        """Make a call, and return its result. Raises `CallError`.

        The time of a call counts as time of the step. But an operation may declare
        `longest_s`, such as 120 for a search that takes minutes. Up to 120 seconds of its call
        do not count: the step's deadline is moved by as much as the call took.
        """
        host = self._state.host

        def call() -> Mapping[str, Plain]:
            return host.call(operation.name, arguments, in_verify=in_verify)

        began = time.monotonic()
        call_deadline = max(self._deadline.moment, began + operation.longest_s)
        try:
            with self._calls_ending_by(call_deadline):
                return plain_result(operation.name, call)
        finally:
            # Extend the step by the time of the call, but by no more than `longest_s`.
            elapsed_s = time.monotonic() - began
            self._deadline.extend(min(elapsed_s, operation.longest_s))

    def call_all(self, calls: Sequence[NamedCall]) -> bytes:
        """Make several calls that only read, and return their outcomes as a list in JSON.

        Each outcome is an encoded `Answered` or `Refused`, in the order of the calls.
        """
        host = self._state.host
        host_calls = [(call.operation, call.arguments) for call in calls]
        with self._calls_ending_by(self._deadline.moment):
            outcomes = guarded("calls", lambda: host.call_all(host_calls))

        bodies = []
        for call, outcome in zip(calls, outcomes, strict=True):
            bodies.append(_outcome_body(call.operation, outcome))
        # The bodies are JSON already, so the list is put together as text.
        return b"[" + b",".join(bodies) + b"]"

    @contextlib.contextmanager
    def _calls_ending_by(self, moment: float) -> Iterator[None]:
        """Tell the host to end its calls by `moment` (on `time.monotonic`) within the block."""
        self._state.end_calls_at(moment)
        try:
            yield
        finally:
            self._state.end_calls_at(math.inf)


def _outcome_body(name: str, outcome: Mapping[str, Plain] | CallError) -> bytes:
    """Return the result or the error of one of several calls as JSON. `name`: its operation."""
    if isinstance(outcome, CallError):
        return refusal_bytes(str(outcome.code), str(outcome.message))
    return answer_bytes(plain_result(name, lambda: outcome).body)
