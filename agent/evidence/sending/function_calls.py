"""Calls the functions of a benchmark.

A function is code of the benchmark that a script calls like any other operation:
`books_by(author="Ann Miller")`. It runs in another process. To compute its result, it may ask
for calls that only read, such as `read("/books/b1.json")`. The trial makes them while the
function runs.
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
    """Calls the functions of one trial. One function runs at a time.

    A function, such as `books_by(author)`, is code of the benchmark. It runs in another
    process, and asks this one for the calls that it needs, such as reads of files.
    """

    tool_schema: ToolSchema
    sent_calls: SentCalls
    """Gives each call its place in the step, and records its outcome."""
    recorded_calls: RecordedCalls
    """The recorded calls that the trial repeats if it is resumed or replayed."""
    pre_call_check: PreCallCheck
    """The function of the environment that judges changing calls. It gets the results of
    calls that are known, and need not make them."""
    runner: Functions | None = None
    """The other process, in which functions run. None if no function can be called."""
    _running: CallUnderWay | None = None
    """The call of the function that runs now."""

    @property
    def is_running(self) -> bool:
        """True while a function runs. Only the function makes calls then."""
        return self._running is not None

    def call_function(
        self, declared: Operation, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Call a function, and return its result. Raises `CallError`.

        If the outcome is recorded, the function does not run. The recorded calls that it
        made are repeated, because their results are evidence for the answer.
        """
        call = call_to_send(declared.name, arguments, in_verify=in_verify)
        sent = self.sent_calls.announce(call)
        # `finished` is the call with its outcome, which is known now if it is recorded.
        is_recorded = sent.finished is not None
        self._running = sent
        try:
            if is_recorded:
                self._repeat_reads(sent.number)
            else:
                # Run the function, and keep the call with its result or its error.
                sent.finished = with_outcome(
                    call, lambda: self._compute(declared, call.arguments)
                )
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
        code_name = declared.finds  # the module and the name: `own.functions:books_by`
        return self.runner.compute(code_name, dict(arguments), known_calls)

    def _repeat_reads(self, number: int) -> None:
        """Repeat the recorded calls of a function.

        `number` is the place of the function's own call in the step.
        """
        for read in self.recorded_calls.reads_of_function(number):
            self.call_all([(read.operation, read.arguments)])

    # --- The calls that the running function asks for ---

    def call_for_function(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Make one call that the function asks for. Raises `CallError` if it fails."""
        outcome = self.call_all([(operation, arguments)])[0]
        if isinstance(outcome, CallError):
            raise outcome
        return dict(outcome)

    def call_all(self, requests: Sequence[Request]) -> list[Outcome]:
        """Make calls that the function asks for, and return their outcomes in order."""
        calls = RequestedCalls(self.tool_schema, self.sent_calls, self._running)
        return calls.make_all(requests)
