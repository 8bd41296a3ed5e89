"""Calls the functions of a benchmark. They run in another process.

A function may ask for calls that only read. The trial makes them while the function runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.evidence.calls.call_outcome import with_outcome
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay, call_to_send
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.environment import Functions
from controlplane.agent.evidence.sending.requested_calls import (
    Outcome,
    Request,
    RequestedCalls,
)
from controlplane.agent.evidence.sending.sent_calls import SentCalls
from controlplane.agent.evidence.tape import RecordedCalls
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    ToolSchema,
    error_codes,
)


@dataclass(slots=True)
class FunctionCalls:
    """Calls the functions of one trial. One function runs at a time."""

    tool_schema: ToolSchema
    sent_calls: SentCalls
    recorded_calls: RecordedCalls
    pre_call_check: PreCallCheck
    """A function, too. It need not make calls whose results are known."""
    runner: Functions | None = None
    """The process that runs functions. None if no function can be called."""
    _running: CallUnderWay | None = None
    """The call of the function that runs now."""

    @property
    def is_running(self) -> bool:
        """True while a function runs. All calls of the trial are then made by it."""
        return self._running is not None

    def call_function(
        self, declared: Operation, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Call a function, and return its result. Raises `CallError`.

        If the outcome is recorded, the function does not run. The recorded calls that it
        made are repeated, because their results are evidence.
        """
        call = call_to_send(declared.name, arguments, in_verify=in_verify)
        sent = self.sent_calls.announce(call)
        self._running = sent
        try:
            if sent.finished is None:
                sent.finished = with_outcome(
                    call, lambda: self._compute(declared, call.arguments)
                )
            else:
                self._repeat_reads(sent.number)
        finally:
            self._running = None
        return self.sent_calls.receive(sent)

    def _compute(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> Mapping[str, Plain]:
        """Run a function in its process. Raises `CallError`."""
        if self.runner is None:
            msg = f"there is no process here that could run {declared.name}"
            raise CallError(error_codes.INTERNAL, msg)
        known_calls = self.pre_call_check.known_calls_of(declared.name)
        place_of_code = declared.finds  # `own.functions:books_by`
        return self.runner.compute(place_of_code, dict(arguments), known_calls)

    def _repeat_reads(self, number: int) -> None:
        """Repeat the recorded calls that a function made. `number` is that of its own call."""
        for read in self.recorded_calls.reads_of_function(number):
            self.call_all([(read.operation, read.arguments)])

    # --- The calls that the running function asks for ---

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call that the function asks for. Raises `CallError` if it fails."""
        outcome = self.call_all([(operation, arguments)])[0]
        if isinstance(outcome, CallError):
            raise outcome
        return dict(outcome)

    def call_all(self, requests: Sequence[Request]) -> list[Outcome]:
        """Make the calls that the function asks for, and return their outcomes in order."""
        calls = RequestedCalls(self.tool_schema, self.sent_calls, self._running)
        return calls.make_all(requests)
