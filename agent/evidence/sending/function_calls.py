"""Calls the functions of a benchmark.

A function is code of the benchmark that a script calls like any other operation. It runs in
another process. To compute its result, it may ask for calls that only read. The trial makes
them while the function runs, so they follow its announcement in the journal:

    number 3  books_by(author="Ann Miller")           under way
    number 4  read("/books/b1.json"), outer=3         made: it was asked for by number 3
    number 3  books_by(author="Ann Miller")           made: {"value": ["/books/b1.json"]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_outcome import with_outcome
from controlplane.agent.evidence.calls.placed_call import PlacedCall, call_to_send
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.function_runner import FunctionRunner
from controlplane.agent.evidence.sending.call_recorder import CallRecorder
from controlplane.agent.evidence.sending.requested_calls import RequestedCalls
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    error_codes,
)


@dataclass(slots=True)
class FunctionCalls:
    """Calls the functions of one trial. One function runs at a time."""

    recorder: CallRecorder
    """Writes the function's own call to the journal. It is not sent to the environment."""
    requested_calls: RequestedCalls
    """Makes the calls that the function asks for, such as reads of files."""
    pre_call_check: PreCallCheck
    """Knows which function is the environment's check of changing calls. That function need not
    read again what the trial has read: it gets the known results."""
    runner: FunctionRunner | None = None
    """The other process, in which functions run. None if no function can be called."""

    def call(
        self, declared: Operation, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Call a function, and return its result. Raises `CallError`.

        `in_verify` is true if the script's `verify`, its own check of its answer, makes the call.
        """
        call = call_to_send(declared.name, arguments, in_verify=in_verify)
        placed = self.recorder.place(call)
        self.requested_calls.running_function = placed
        try:
            outcome = self._outcome_of(placed, declared)
        finally:
            self.requested_calls.running_function = None
        return self.recorder.record(placed, outcome)

    def _outcome_of(self, placed: PlacedCall, declared: Operation) -> CallRecord:
        """Return the call of a function with its result or its error.

        If it is recorded, the function does not run. The calls that it made are repeated with
        their recorded results, because these are evidence for the answer.
        """
        if placed.known_outcome is not None:
            self._repeat_reads(placed.number)
            return placed.known_outcome
        call = placed.call
        return with_outcome(call, lambda: self._compute(declared, call.arguments))

    def _compute(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> Mapping[str, Plain]:
        """Run a function in its process, and return its result. Raises `CallError`."""
        if self.runner is None:
            msg = f"there is no process here that could run {declared.name}"
            raise CallError(error_codes.INTERNAL, msg)
        known_calls = self.pre_call_check.known_calls_of(declared.name)
        code_name = declared.finds  # the module and the name: `own.functions:books_by`
        return self.runner.compute(code_name, dict(arguments), known_calls)

    def _repeat_reads(self, number: int) -> None:
        """Repeat the recorded calls that a function made, as if it asked for them now.

        `number` is the place of the function's own call in the step. A call that failed then
        fails again. Its error is returned, and not needed here.
        """
        for read in self.recorder.taped_calls.reads_of_function(number):
            self.requested_calls.make_all([(read.operation, read.arguments)])
