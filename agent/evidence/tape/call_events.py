"""Writes the events of calls to the journal, unless they are recorded.

A call that may change something is written twice: before it is made, and with its outcome. If the
process is killed in between, the next one makes the call again, or gives it up as lost. Its first
event is then in the journal already, so only the outcome is written:

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
    """Writes those events of one trial's calls that are not on its tape."""

    trial_id: str
    reader: TapeReader
    """Has the recorded step, if this step repeats one."""
    emit: Emit
    """Writes an event to the journal."""

    def write_call(self, call: CallRecord, number: int) -> None:
        """Write that call `number` of the step is about to be made, unless it is recorded."""
        if self.reader.entry_at(number, CallRecord) is None:
            self._emit(call, number, was_announced=False)

    def write_outcome(self, numbered: NumberedCall, outcome: CallRecord) -> None:
        """Write a call with its outcome, unless the outcome is recorded."""
        recorded = self.reader.entry_at(numbered.number, CallRecord)
        has_recorded_outcome = recorded is not None and recorded.state != "under_way"
        if not has_recorded_outcome:
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
