"""Calls the functions of a benchmark, and records them with the calls that they ask for.

A function, such as `books_by(author)`, is code of the benchmark. While it runs, it asks for
calls that only read. These are in the journal between its own two lines:

    number 3  books_by(author="Ann Miller")           under way
    number 4  read("/books/b1.json"), outer=3         made: it was asked for by number 3
    number 3  books_by(author="Ann Miller")           made: {"value": ["/books/b1.json"]}

If the process is killed later, the next one repeats the recorded calls: number 3 gets its recorded
result, and does not run. Number 4 is repeated, too: an answer may cite the file that it has read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_outcome import with_outcome
from controlplane.agent.evidence.calls.numbered_call import NumberedCall
from controlplane.agent.evidence.calls.planned_call import planned_call
from controlplane.agent.evidence.sending.benchmark_functions import BenchmarkFunctions
from controlplane.agent.evidence.sending.call_recorder import CallRecorder
from controlplane.agent.evidence.sending.requested_calls import RequestedCalls
from controlplane.agent.evidence.tape import TapeReader
from controlplane.agent.record.inner_calls import calls_by_function
from controlplane.sandbox.interface import Operation, Plain


@dataclass(frozen=True, slots=True)
class FunctionCalls:
    """Calls the functions of one trial. One function runs at a time."""

    functions: BenchmarkFunctions
    """Runs the functions in another process."""
    requested_calls: RequestedCalls
    """Makes the calls that the running function asks for, such as reads of files."""
    recorder: CallRecorder
    """Writes the function's own call to the journal. It is not sent to the environment."""
    reader: TapeReader
    """Has the recorded step, if this step repeats one."""

    def call(
        self, declared: Operation, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Call a function, and return its result. Raises `CallError`.

        `in_verify` is true if the script's `verify`, its own check of its answer, makes the call.
        """
        call = planned_call(declared.name, arguments, in_verify=in_verify)
        numbered = self.recorder.add_call(call)
        self.requested_calls.running_function = numbered
        try:
            outcome = self._outcome(numbered, declared)
        finally:
            self.requested_calls.running_function = None
        return self.recorder.add_outcome(numbered, outcome)

    def _outcome(self, function: NumberedCall, declared: Operation) -> CallRecord:
        """Return the call of a function with its outcome: recorded, or else by running it."""
        if function.recorded_outcome is not None:
            self._repeat_reads(function)
            return function.recorded_outcome
        arguments = function.call.arguments
        return with_outcome(
            function.call, lambda: self.functions.compute(declared, arguments)
        )

    def _repeat_reads(self, function: NumberedCall) -> None:
        """Repeat the reads that a recorded function had asked for, as if it asked for them now."""
        requested_calls = calls_by_function(self.reader.recorded_step.calls)
        for read in requested_calls.get(function.number, ()):
            self.requested_calls.make_all([(read.operation, read.arguments)])
