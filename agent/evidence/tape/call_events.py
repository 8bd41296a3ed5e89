"""Writes the calls of a trial to its journal, each event once.

A call that may change something is written twice: before it is made, and with its outcome. If the
process is killed in between, the next process repeats the step, and finds the first event in the
journal. It then writes only the second one:

    in the journal   number 1  write("/b.md", "fee: 7")   under way
    written now      number 1  write("/b.md", "fee: 7")   made
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallEvent, CallRecord, Emit
from controlplane.agent.evidence.calls.numbered_call import NumberedCall
from controlplane.agent.evidence.tape.tape_reader import TapeReader


@dataclass(frozen=True, slots=True)
class CallEvents:
    """Writes those events of one trial's calls that its journal does not have yet."""

    trial_id: str
    reader: TapeReader
    """Finds what the journal has of the current step, if an earlier process has begun this step."""
    emit: Emit
    """Writes an event to the journal."""

    def write_call(self, call: CallRecord, number: int) -> None:
        """Write that call `number` of the step is about to be made, unless the journal has it."""
        if self.reader.entry_at(number, CallRecord) is None:
            self._emit(call, number, was_announced=False)

    def write_outcome(self, numbered: NumberedCall, outcome: CallRecord) -> None:
        """Write a call with its outcome, unless the journal has the outcome."""
        recorded = self.reader.entry_at(numbered.number, CallRecord)
        has_recorded_outcome = recorded is not None and recorded.state != "under_way"
        if not has_recorded_outcome:
            # A call that only reads was not announced: this is its only event.
            self._emit(outcome, numbered.number, was_announced=numbered.was_announced)

    def _emit(self, call: CallRecord, number: int, *, was_announced: bool) -> None:
        event = CallEvent.of(
            call,
            trial_id=self.trial_id,
            step=self.reader.current_step.number,
            number=number,
            was_announced=was_announced,
        )
        self.emit(event)
