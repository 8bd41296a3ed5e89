"""What has happened in the step that a trial is at: its calls, and what the model is told of them.

step_log.begin(2)
call = step_log.add_call(read)     the call has its number in step 2 from now on: 0
step_log.add_outcome(call_done)    the call has returned
step_log.trial_step.calls          -> [call_done], without its result
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.agent.record.trial_step import TrialStep

# A script may write a thousand long files in one step. All calls are in the journal, a file.
# In memory a step keeps each call without its result, and, once its arguments have too
# many characters, without its arguments.

_MOST_ARGUMENT_CHARS: Final = 1_000_000
"""How many characters of arguments a step holds in memory.
The arguments of later calls are only in the journal."""
_CHARS_BESIDE_AN_ARGUMENT: Final = 60
"""An estimate of the memory that an argument takes besides its text, in characters."""


class StepLog:
    """What has happened in the current step of one trial, and what the model is told about it."""

    def __init__(self) -> None:
        self.trial_step = TrialStep()
        """The events of the step. Calls are kept without their results (see `add_outcome`)."""
        self.notes: list[str] = []
        """Messages about the calls, which the model reads after the step."""
        self._room_chars = _MOST_ARGUMENT_CHARS
        """How many more characters of arguments fit. Once a call does not fit, it is below 0 for
        good."""

    def begin(self, number: int) -> None:
        """Begin the step with this number. Step 0 prepares the initial prompt."""
        self.trial_step = TrialStep(number)
        self.notes = []
        self._room_chars = _MOST_ARGUMENT_CHARS

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

    def add_call(self, call: CallRecord) -> CallRecord:
        """Give a call its place in the step, and return it with its number there."""
        numbered = call.changed(number=self.call_count)
        self.trial_step.calls.append(numbered)
        return numbered

    def add_outcome(self, call: CallRecord) -> None:
        """Put a call with its outcome in its place, without its result, to save memory.

        If the step's calls have too many arguments, those of this call are left out, too. The
        journal has them.
        """
        self._room_chars -= _size_of(call.arguments)
        kept = call
        if call.result:
            kept = kept.changed(result={})
        if self._room_chars < 0:
            kept = kept.changed(arguments={})
        self.trial_step.calls[call.number] = kept

    def add_new_notes(self, notes: Iterable[str]) -> None:
        """Add those messages to the model that the step does not have yet."""
        for note in notes:
            if note not in self.notes:
                self.notes.append(note)


def _size_of(arguments: Mapping[str, object]) -> int:
    """Return an estimate of the memory that arguments take, in characters."""
    size = 0
    for argument in arguments.values():
        items = argument if isinstance(argument, list) else [argument]
        for item in items:
            size += _CHARS_BESIDE_AN_ARGUMENT
            if isinstance(item, str):
                size += len(item)
    return size
