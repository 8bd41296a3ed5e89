"""The recorded steps of a trial, the last of which may have been cut off.

In a step, a solver gets a reply of its model, and carries it out. A step is whole once its
summary is recorded. If the process ended before, the next attempt repeats the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from controlplane.agent.events import (
    CallRecord,
    Judged,
    StepDone,
)
from controlplane.agent.record.trial_step import TrialStep


@dataclass(slots=True)
class RecordedSteps:
    """The steps of a trial. Iterating over it yields them in order, with the one cut off."""

    whole: list[TrialStep] = field(default_factory=list)
    """The steps with a recorded end."""
    open: TrialStep = field(default_factory=TrialStep)
    """The step without a recorded end. If there is none, an empty step with the number 0."""

    def __iter__(self) -> Iterator[TrialStep]:
        yield from self.whole
        if self.cut_off is not None:
            yield self.cut_off

    @property
    def cut_off(self) -> TrialStep | None:
        """The step that was cut off; None if nothing of it is recorded."""
        return self.open if self.open.number else None

    @property
    def summaries(self) -> list[StepDone]:
        """The summaries of the whole steps."""
        return [step.done for step in self.whole if step.done is not None]

    @property
    def used_s(self) -> float:
        """Seconds that the trial had used at the end of the last whole step."""
        if not self.summaries:
            return 0.0
        return self.summaries[-1].used_ms / 1000

    def submissions_of_step(self, number: int) -> list[Judged]:
        """Return the submissions of the step with a number, even if it was cut off."""
        submissions: list[Judged] = []
        for step in self:
            if step.number == number:
                submissions += step.submissions
        return submissions

    def calls_of_whole_step(self, number: int) -> list[CallRecord]:
        """Return the calls of the step with a number; none if it was cut off."""
        calls: list[CallRecord] = []
        for step in self.whole:
            if step.number == number:
                calls += step.calls
        return calls

    @property
    def answering_step(self) -> int | None:
        """The number of the step whose answer the environment took; None if there is none."""
        for step in self:
            if any(answer.error is None for answer in step.answer_results):
                return step.number
        return None
