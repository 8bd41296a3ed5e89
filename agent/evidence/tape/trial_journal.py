"""Writes what happens in the steps of a trial to its journal, unless it is recorded there.

If the process of the trial was killed, the next one repeats its recorded steps, the *tape*. The
same things happen again, but each is in the journal once:

    write(citation of /a.md)         it is recorded: nothing is written; the recorded one counts
    write(citation of /c.md)         it is new: a line in the journal
    write_step(summary of step 2)    it is new: a line in the journal
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from controlplane.agent.events import (
    Emit,
    ScriptMeasured,
    StepDone,
    StepEntry,
    StepEvent,
)
from controlplane.agent.evidence.tape.tape_reader import TapeReader
from controlplane.agent.record.step_entries import entries_of

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
        entries_of(self.reader.current_step, type(entry)).append(counting)
        return counting

    def write_memory(self, event: ScriptMeasured) -> None:
        """Write the memory use of a script, unless it is recorded.

        It varies between runs, so it is not compared.
        """
        is_recorded = self.reader.recorded_step.measured is not None
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
