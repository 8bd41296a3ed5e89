"""Decides whether what a trial does is recorded, new, or something else than recorded.

A trial whose process was killed repeats its recorded steps, its *tape*, and goes on. When the
process was killed, the script of step 2 had cited two files:

    the script cites   the tape has   `take` returns
    /a.md              /a.md          the recorded citation, with its recorded outcome
    /b.md              /b.md          the recorded citation
    /c.md              nothing        None: it is new

If the script cited /x.md instead of /b.md, `take` would raise `RecordDiverged`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

from controlplane.agent.events import Record, StepEntry
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape.difference import Difference
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.record.step_entries import entries_of
from controlplane.agent.record.trial_step import TrialStep

Kind = TypeVar("Kind", bound=Record)
Entry = TypeVar("Entry", bound=StepEntry)
_EMPTY_STEP: Final = TrialStep()


@dataclass(frozen=True, slots=True)
class TapeReader:
    """Reads the tape of one trial at the place that the trial has reached."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    step_log: StepLog
    """The step that the trial is at."""

    @property
    def current_step(self) -> TrialStep:
        """What the current step has done so far."""
        return self.step_log.trial_step

    @property
    def recorded_step(self) -> TrialStep:
        """What is recorded of the current step; an empty step if it is not recorded."""
        number = self.step_log.trial_step.number
        return self.tape.steps.get(number, _EMPTY_STEP)

    @property
    def is_complete(self) -> bool:
        """True if the record of the step is whole, so nothing may be added. It is in a replay."""
        return self.tape.is_replay or self.recorded_step.done is not None

    def take(self, entry: Entry) -> Entry | None:
        """Return the recorded entry for `entry`, such as a citation; None if the trial goes beyond.

        With None, the caller does the action and writes it to the journal. A recorded entry with
        the same action counts as it is, even if the action has another outcome today: the
        difference is noted. Any other entry raises `RecordDiverged`. Only a replay, which compares
        a whole recorded trial, notes the other entry as a difference, and returns it.
        """
        step = self.current_step
        number = len(entries_of(step, type(entry)))
        recorded = self.entry_at(number, type(entry))
        if recorded is None and not self.is_complete:
            return None

        name = entry.name_at(number)  # `citations[2]`
        if recorded is not None and recorded.action == entry.action:
            self.compare(name, recorded.compared, entry.compared)
            return recorded

        was = entry.nothing if recorded is None else recorded.shown
        self.tape.diverge(Difference(step.number, name, was, entry.shown))
        return entry

    def next_entry(self, kind: type[Kind]) -> Kind | None:
        """Return the recorded entry of a class, such as `Citation`, that is to be repeated next.

        If the current step has two citations, it is the third recorded one. None if there is none.
        """
        number = len(entries_of(self.step_log.trial_step, kind))
        return self.entry_at(number, kind)

    def entry_at(self, number: int, kind: type[Kind]) -> Kind | None:
        """Return the recorded entry at a position, from 0; None if the record ends before."""
        entries = entries_of(self.recorded_step, kind)
        return entries[number] if number < len(entries) else None

    def compare(self, name: str, recorded: object, now: object) -> None:
        """Note a difference if a part of the current step is not as recorded."""
        if recorded != now:
            difference = Difference(self.current_step.number, name, recorded, now)
            self.tape.differences.append(difference)
