"""Looks up the recorded calls that a function or a script's `verify` made.

A trial that is resumed or replayed repeats its recorded steps. It need not run a function
again whose result is recorded: its calls are taken from the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.current_step import CurrentStep
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.record.step_calls import calls_by_function


@dataclass(frozen=True, slots=True)
class RecordedCalls:
    """The recorded calls of the step that a trial is at."""

    tape: Tape
    step: CurrentStep

    def reads_of_function(self, number: int) -> Sequence[CallRecord]:
        """Return the calls that a function made. `number` is that of the function's own call."""
        recorded = self.tape.step(self.step.number)
        return calls_by_function(recorded.calls).get(number, [])

    def next_calls_of_verify(self) -> list[CallRecord]:
        """Return the calls of a script's `verify` that follow the calls made so far.

        `verify` is a function in a script that checks the script's answer, and may make
        calls. A repeated step makes the recorded calls in their order. So after two calls
        now, the next one is the third on the record.
        """
        recorded = self.tape.step(self.step.number)
        calls: list[CallRecord] = []
        for call in recorded.calls[self.step.call_count :]:
            if not call.in_verify:
                break
            calls.append(call)
        return calls
