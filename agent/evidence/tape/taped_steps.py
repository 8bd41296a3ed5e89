"""The steps on a tape by number: what is recorded of each, and whether it may do more.

A trial repeats its recorded steps. If it did something else in them, its journal would mix two
trials. So a *complete* step does only what is recorded. A step that was cut off does more after it:

    steps[2].calls                -> [read("/a.md"), write("/b.md", "fee: 7")]
    entry_at(steps[2].calls, 1)   -> the write
    entry_at(steps[2].calls, 2)   -> None: it made two calls
    steps.is_complete(2)          -> True: it may not make a third one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

from controlplane.agent.events import CallRecord
from controlplane.agent.record.inner_calls import calls_by_function
from controlplane.agent.record.recorded_steps import RecordedSteps
from controlplane.agent.record.step_calls import StepCalls
from controlplane.agent.record.trial_step import TrialStep

Entry = TypeVar("Entry")
_EMPTY_STEP: Final = TrialStep()


class TapedSteps:
    """The recorded steps of one trial, the last of which may have been cut off."""

    def __init__(self, recorded: RecordedSteps, *, is_replay: bool) -> None:
        self._steps = {step.number: step for step in recorded}
        self._is_replay = is_replay

    def __getitem__(self, number: int) -> TrialStep:
        """Return the recorded step with a number; an empty step if it is not recorded."""
        return self._steps.get(number, _EMPTY_STEP)

    def is_complete(self, number: int) -> bool:
        """Return True if a step may do no more than is recorded. In a replay, no step may."""
        return self._is_replay or self[number].done is not None

    def calls_of_function(self, number: int, call_number: int) -> Sequence[CallRecord]:
        """Return the calls of a step that a function made, by the number of its own call."""
        return calls_by_function(self[number].calls).get(call_number, [])

    def drop_calls_from(self, number: int, call_number: int) -> None:
        """Drop the calls of a recorded step from `call_number` on: they are made again."""
        step = self._steps[number]
        kept = StepCalls(step.calls[:call_number])
        self._steps[number] = replace(step, step_calls=kept)


def entry_at(entries: Sequence[Entry], number: int) -> Entry | None:
    """Return the entry at an index, such as the third call; None if the record ends before."""
    return entries[number] if number < len(entries) else None
