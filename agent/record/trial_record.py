"""What a journal has about one trial: enough to go on with the trial, or to repeat it.

In a trial, a solver works on a task. It may be cut off, for example by a power failure. A
second *attempt* then repeats the recorded steps, and goes on from there (*resumes* the trial).
A *replay* repeats a whole recorded trial, to compare the two. If the power failed in step 3, the
record has `started`, when the first attempt began, the `initial_prompt`, the steps 1 and 2, and
then step 3 as the second attempt did it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from controlplane.agent.events import (
    AnswerSent,
    CallRecord,
    ConversationOpened,
    ModelReplied,
    StepDone,
    TrialStarted,
)
from controlplane.agent.record.recorded_steps import RecordedSteps
from controlplane.agent.record.side_reply import SideReply
from controlplane.agent.record.trial_step import TrialStep


@dataclass(slots=True)
class TrialRecord:
    """What a journal has about one trial. Empty for a trial that was never started."""

    started: TrialStarted | None = None
    """The first start of the trial; None if it was never started."""
    initial_prompt: ConversationOpened | None = None
    """The initial prompt; None if the trial broke off before it was ready."""
    all_steps: RecordedSteps = field(default_factory=RecordedSteps)
    """The steps of the solver, the last of which may have been cut off."""
    side_replies: list[SideReply] = field(default_factory=list)
    """The replies outside of the solver's conversation, such as to a grader."""
    paid_replies: list[ModelReplied] = field(default_factory=list)
    """All replies of models that were paid for, even those that could not be used."""
    notices: list[str] = field(default_factory=list)
    """The texts of the notices to the user, except those about a request that was retried."""
    answer: AnswerSent | None = None
    """The answer that was sent; None before. Whether it arrived may be unknown."""

    @property
    def has_begun(self) -> bool:
        """True if an earlier attempt has started the trial."""
        return self.started is not None

    @property
    def whole_steps(self) -> list[TrialStep]:
        """The steps that were not cut off."""
        return self.all_steps.whole

    @property
    def step_summaries(self) -> list[StepDone]:
        """The summaries of the steps that were not cut off."""
        return self.all_steps.summaries

    @property
    def all_calls(self) -> Iterator[CallRecord]:
        """The calls in order: the calls of the initial prompt, then of each step.

        If the trial broke off while the initial prompt was prepared, its calls are left
        out, because they are made again.
        """
        if self.initial_prompt is not None:
            yield from self.initial_prompt.calls
        for step in self.all_steps:
            yield from step.calls
