"""The step that a trial is at, with its calls so far."""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.argument_room import ArgumentRoom
from controlplane.agent.record.trial_step import TrialStep


class CurrentStep:
    """What has happened in the current step of one trial."""

    def __init__(self) -> None:
        self.trace = TrialStep()
        """The events of the step. Its calls are without their results."""
        self.notes: list[str] = []
        """Messages to the model about the calls of the step."""
        self._argument_room = ArgumentRoom()
        """Limits the memory for the arguments of the step's calls."""

    def begin(self, number: int) -> None:
        """Begin the next step. Step 0 prepares the initial prompt."""
        self.trace = TrialStep(number)
        self.notes = []
        self._argument_room = ArgumentRoom()

    @property
    def number(self) -> int:
        """The number of the step, from 0."""
        return self.trace.number

    @property
    def call_count(self) -> int:
        """How many calls the step has. It is also the number of the next call."""
        return len(self.trace.calls)

    def add_call(self, call: CallRecord) -> int:
        """Give a call its place in the step, and return its number there, from 0."""
        calls = self.trace.calls
        calls.append(call)
        return len(calls) - 1

    def add_outcome(self, number: int, call: CallRecord) -> None:
        """Put a call with its outcome in its place.

        Only a part stays in memory: the result does not, and long arguments may not.
        """
        self.trace.calls[number] = self._argument_room.kept_part(call)

    def add_new_notes(self, notes: Iterable[str]) -> None:
        """Add those messages to the model that the step does not have yet."""
        for note in notes:
            if note not in self.notes:
                self.notes.append(note)
