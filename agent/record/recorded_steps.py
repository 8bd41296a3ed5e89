"""The recorded steps of a trial, the last of which may have been cut off.

In a step, a solver gets a reply of its model, and carries it out. A step is *whole* once its
summary is recorded. If the process was killed in step 3, this step is *cut off*, and the next
attempt at the trial does it again:

    whole      step 1, step 2
    cut_off    step 3
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from controlplane.agent.events import CallRecord, Judged, StepDone
from controlplane.agent.record.trial_step import TrialStep


@dataclass(slots=True)
class RecordedSteps:
    """The steps of a trial, whole or cut off."""

    whole: list[TrialStep] = field(default_factory=list)
    """The steps whose summaries are recorded."""
    open: TrialStep = field(default_factory=TrialStep)
    """The step to which further events are added. Its number is 0 if no step has begun since the
    last whole one."""

    def __iter__(self) -> Iterator[TrialStep]:
        """Yield the whole steps in order, then the one that was cut off, if there is one."""
        yield from self.whole
        if self.cut_off is not None:
            yield self.cut_off

    @property
    def cut_off(self) -> TrialStep | None:
        """The step that has begun, and has no summary; None if there is none."""
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
