"""Keeps what has happened in the step that a trial is at.

In a step, the model writes a script, and the script makes calls. Later parts of the trial
ask what has happened: which calls were made, what the user decided, what was cited.

    step_log.begin(2)
    step_log.add_call(read)               -> 0, the number of the call in step 2
    step_log.add_outcome(0, read_done)    the call has returned
    step_log.trial_step.calls             -> [read_done], without its result
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.argument_room import ArgumentRoom
from controlplane.agent.record.trial_step import TrialStep


class StepLog:
    """What has happened in the current step of one trial, and what the model is told about it."""

    def __init__(self) -> None:
        self.trial_step = TrialStep()
        """The events of the step. Calls are kept without their results (see `add_outcome`)."""
        self.notes: list[str] = []
        """Messages about the calls, which the model reads after the step."""
        self._argument_room = ArgumentRoom()
        """Limits the memory for the arguments of the step's calls."""

    def begin(self, number: int) -> None:
        """Begin the step with this number. Step 0 prepares the initial prompt."""
        self.trial_step = TrialStep(number)
        self.notes = []
        self._argument_room = ArgumentRoom()

    def begin_next(self) -> None:
        """Begin the step after the current one."""
        self.begin(self.number + 1)

    @property
    def number(self) -> int:
        """The number of the step, from 0."""
        return self.trial_step.number

    @property
    def call_count(self) -> int:
        """How many calls the step has. It is also the number of the next call."""
        return len(self.trial_step.calls)

    def function_of(self, call: CallRecord) -> str:
        """Return the function that has asked for a call: `books_by`; empty if none has."""
        if call.outer is None:
            return ""
        return self.trial_step.calls[call.outer].operation

    def add_call(self, call: CallRecord) -> int:
        """Give a call its place in the step, and return its number there, from 0."""
        calls = self.trial_step.calls
        calls.append(call)
        return len(calls) - 1

    def add_outcome(self, number: int, call: CallRecord) -> None:
        """Put a call with its outcome in its place, without its result, to save memory.

        If the step's calls have too many arguments, these are left out, too. The journal has them.
        """
        self.trial_step.calls[number] = self._argument_room.kept_part(call)

    def add_new_notes(self, notes: Iterable[str]) -> None:
        """Add those messages to the model that the step does not have yet."""
        for note in notes:
            if note not in self.notes:
                self.notes.append(note)
