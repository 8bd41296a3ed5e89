"""Decides whether an objection stops a call, and writes what became of the stopped calls.

A check, such as the environment's rules, may object to `transfer(amount=500)` before it is sent:
"over the limit". Then the call is *stopped*, and the model may send another instead. The journal:

    call_stopped  number 1  transfer(amount=500)  objection: over the limit
    call_stopped  number 1  transfer(amount=500)  then: done otherwise
    call          number 1  transfer(amount=50)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from controlplane.agent.events import (
    CallRecord,
    CallStopped,
    Emit,
    ScriptMeasured,
    StepDone,
    StepEntry,
    StepEvent,
)
from controlplane.agent.evidence.calls import CheckName, StepLog, StoppedCalls
from controlplane.agent.evidence.tape.tape_reader import TapeReader

# Makes the events that a call was stopped, and what became of it.
#
# A step has sent call 0, and a check objects to the next one. Its events have the number 1, with which
# it would have been sent:
#
#     call_stopped  number 1  transfer(amount=500)  objection: over the limit
#     call_stopped  number 1  transfer(amount=500)  then: done otherwise


@dataclass(frozen=True, slots=True)
class StopEvents:
    """Makes the events of one trial's stopped calls. They are not written here."""

    trial_id: str
    step: StepLog
    """The current step, with its calls so far."""

    def stopped(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> CallStopped:
        """Return the event that a check stops the next call of the step."""
        return CallStopped(
            trial_id=self.trial_id,
            step=self.step.number,
            number=self.step.call_count,
            operation=operation,
            arguments=dict(arguments),
            by=check,
            objection=objection,
        )

    def outcome_of(self, stop: CallStopped, then: str) -> CallStopped:
        """Return the event with what becomes of a stopped call once the next call is sent."""
        stopped_again = self.stopped(stop.by, stop.operation, stop.arguments, "")
        return stopped_again.model_copy(update={"then": then})


# Writes what happens in the steps of a trial to its journal, unless it is recorded there.
#
# If the process of the trial was killed, the next one repeats its recorded steps, the *tape*. The
# same things happen again, but each is in the journal once:
#
#     write(citation of /a.md)         it is recorded: nothing is written; the recorded one counts
#     write(citation of /c.md)         it is new: a line in the journal
#     write_step(summary of step 2)    it is new: a line in the journal

Entry = TypeVar("Entry", bound=StepEntry)


@dataclass(frozen=True, slots=True)
class TrialJournal:
    """Writes the events of one trial's steps that are not on its tape."""

    reader: TapeReader
    """Tells what is recorded of the current step."""
    emit: Emit
    """Writes an event to the journal."""

    def write(self, event: StepEvent, entry: Entry) -> Entry:
        """Write what the current step does, unless it is recorded.

        `entry` is a part of the event, such as its citation. The recorded entry, or this one if it
        is new, is added to the current step and returned. Raises `RecordDiverged` if the trial
        does something else than recorded.
        """
        recorded = self.reader.take(entry)
        if recorded is None:
            self.emit(event)
        counting = entry if recorded is None else recorded
        self.reader.current_step.entries_of(type(entry)).append(counting)
        return counting

    def write_memory(self, event: ScriptMeasured) -> None:
        """Write the memory use of a script, unless it is recorded.

        It varies between runs, so it is not compared.
        """
        is_recorded = self.reader.recorded_step.peak_memory_bytes is not None
        # To a step that an earlier process has recorded to its end, nothing is added.
        if not is_recorded and not self.reader.is_complete:
            self.emit(event)

    def write_step(self, event: StepDone) -> StepDone:
        """Write the summary of a whole step, unless it is recorded. Return the one that counts.

        A recorded summary counts, and each difference of the new one from it is noted.
        """
        recorded = self.reader.recorded_step.done
        if recorded is None:
            self.emit(event)
            return event
        now = event.compared_parts
        for name, before in recorded.compared_parts.items():
            self.reader.compare(name, before, now[name])
        return recorded


@dataclass(frozen=True, slots=True)
class CallStops:
    """Decides which calls of one trial are stopped, and not sent.

    If a process is killed within a step, the next one repeats the step, and each call of it comes
    again. It is then stopped or sent as the journal says, whatever the check says now.
    """

    stop_events: StopEvents
    """Makes the events of stopped calls."""
    journal: TrialJournal
    """Writes them, unless they are recorded."""
    stopped_calls: StoppedCalls = field(default_factory=StoppedCalls)

    def decide(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> str:
        """Return the objection with which a check stops a call; empty if it may be sent.

        `objection` is what the check says now; empty if it does not object.
        """
        # What the journal has next of a step that is repeated; None in a new step.
        reader = self.journal.reader
        recorded_stop = reader.next_entry(CallStopped)
        if recorded_stop is None and not objection:
            return ""

        stop = self.stop_events.stopped(check, operation, arguments, objection)
        if recorded_stop is not None and recorded_stop.action == stop.action:
            # The same call was stopped then, so it is now, with the recorded objection.
            return self._write(stop).objection
        was_not_stopped = reader.next_entry(CallRecord) is not None
        if was_not_stopped:
            # That the check objects now is only noted, as a difference.
            reader.compare(stop.name_in_differences, None, stop.compared)
            return ""
        if objection:
            self._write(stop)
        return objection

    def add_outcomes(self, operation: str, arguments: Mapping[str, Any]) -> None:
        """Write what becomes of the stopped calls now that this call is sent."""
        for stop, outcome in self.stopped_calls.closed_by(operation, arguments):
            self._write(self.stop_events.outcome_of(stop, outcome))

    def add(self, event: CallStopped) -> None:
        """Add an event of an earlier, complete step, which is not repeated."""
        self.journal.reader.current_step.stopped.append(event)
        self.stopped_calls.add(event)

    def _write(self, event: CallStopped) -> CallStopped:
        """Write an event, and return it. If it is recorded, return the recorded one."""
        counting = self.journal.write(event, event)
        self.stopped_calls.add(counting)
        return counting
