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
        function = self.recorder.add_call(call)
        outcome = function.recorded_outcome
        if outcome is None:
            outcome = self._run(function, declared)
        else:
            self._repeat_reads(function)
        return self.recorder.add_outcome(function, outcome)

    def _run(self, function: NumberedCall, declared: Operation) -> CallRecord:
        """Run a function, and return its call with the outcome."""
        arguments = function.call.arguments
        # While it runs, its process asks for calls.
        self.requested_calls.running_function = function
        try:
            return with_outcome(
                function.call, lambda: self.functions.compute(declared, arguments)
            )
        finally:
            self.requested_calls.running_function = None

    def _repeat_reads(self, function: NumberedCall) -> None:
        """Repeat the reads that a recorded function had asked for.

        They get their recorded results, too. Only the trial learns them, as the function is not run.
        """
        reads = calls_by_function(self.reader.recorded_step.calls)
        for read in reads.get(function.number, ()):
            request = (read.operation, read.arguments)
            self.requested_calls.make_for(function, [request])
