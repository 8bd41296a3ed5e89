"""Calls the functions of a benchmark, and records them with the reads that they ask for.

A function, such as `books_by(author)`, is code of the benchmark. In the journal, its call has two
lines, its start and its end. The reads that it asks for are between them:

    number 3  books_by("Ann Miller")            starts
    number 4  read("/books/b1.json"), outer=3   read for number 3
    number 3  books_by("Ann Miller")            ends: {"value": ["/books/b1.json"]}

If the process of the trial is killed, the next one repeats this: number 3 gets its recorded result,
and does not run. Number 4 gets its result, too, so that an answer may cite the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_outcome import with_outcome
from controlplane.agent.evidence.calls.numbered_call import NumberedCall
from controlplane.agent.evidence.calls.planned_call import planned_call
from controlplane.agent.evidence.sending.call_journal import CallJournal
from controlplane.agent.evidence.sending.function_process import FunctionProcess
from controlplane.agent.evidence.sending.inner_calls import InnerCalls
from controlplane.sandbox.interface import Operation, Plain


@dataclass(frozen=True, slots=True)
class FunctionCaller:
    """Calls the functions of one trial. One function runs at a time."""

    functions: FunctionProcess
    """Runs the functions in another process."""
    inner_calls: InnerCalls
    """Makes the reads that a function asks for."""
    journal: CallJournal
    """Writes the function's own call to the journal. It is not sent to the environment."""

    def call(
        self, declared: Operation, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Call a function, and return its result. Raises `CallError`.

        `in_verify` is true if the script's `verify`, its own check of its answer, makes the call.
        """
        call = planned_call(declared.name, arguments, in_verify=in_verify)
        function = self.journal.add_call(call)
        self.inner_calls.running_function = function  # Reads are made for it.
        try:
            outcome = self._outcome_of(function, declared)
        finally:
            self.inner_calls.running_function = None
        return self.journal.add_outcome(function, outcome)

    def _outcome_of(self, function: NumberedCall, declared: Operation) -> CallRecord:
        """Return a function's call with its outcome. Without a recorded one, the function runs."""
        if function.recorded_outcome is not None:
            # The function does not run, and its reads are not sent: they have recorded results.
            for read in self.journal.recorded_calls.asked_for_by(function.number):
                self.inner_calls.make_all([(read.operation, read.arguments)])
            return function.recorded_outcome

        arguments = function.call.arguments
        return with_outcome(
            function.call, lambda: self.functions.compute(declared, arguments)
        )
