"""What a journal has about one trial: enough to go on with the trial, or to repeat it.

In a trial, a solver works on a task. It may be cut off, for example by a power failure. A
second *attempt* then repeats the recorded steps, and goes on from there (*resumes* the trial).
A *replay* repeats a whole recorded trial, to compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from controlplane.agent.events import (
    AnswerSent,
    CallRecord,
    ConversationOpened,
    ModelReplied,
    SaidMessage,
    StepDone,
    TrialStarted,
)
from controlplane.agent.record.recorded_steps import RecordedSteps
from controlplane.agent.record.trial_step import TrialStep


@dataclass(slots=True)
class SideReply:
    """A reply of a model outside of the solver's conversation.

    For example, a grader asked the model to score the answer, or a benchmark asked it to play
    the user.
    """

    texts: tuple[SaidMessage, ...]
    """The messages of the request."""
    replied: ModelReplied
    """The event with the reply."""


@dataclass(slots=True)
class TrialRecord:
    """What a journal has about one trial. Empty for a trial that was never started.

    Example: a process was killed in step 3 of a trial, and a second one went on. The record has
    `started` (when the first one began), the `initial_prompt`, the steps 1 and 2, and then step
    3 as the second process did it.
    """

    started: TrialStarted | None = None
    """The first start of the trial; None if it was never started."""
    initial_prompt: ConversationOpened | None = None
    """The initial prompt; None if the trial broke off before it was ready."""
    all_steps: RecordedSteps = field(default_factory=RecordedSteps)
    """The steps of the solver, the last of which may have been cut off."""
    side_replies: list[SideReply] = field(default_factory=list)
    """The replies outside of the solver's conversation, such as to a grader."""
    paid_replies: list[ModelReplied] = field(default_factory=list)
    """All replies of models that were paid for: to the solver, side replies, and replies that
    could not be used."""
    notices: list[str] = field(default_factory=list)
    """The texts of the notices to the user, except those about a request that was retried."""
    answer: AnswerSent | None = None
    """The answer that was sent; None before. Whether it arrived may be unknown."""

    # --- The start ---

    @property
    def has_begun(self) -> bool:
        """True if an earlier attempt has started the trial."""
        return self.started is not None

    @property
    def is_resumed(self) -> bool:
        """True if the next attempt goes on with the recorded initial prompt."""
        return self.initial_prompt is not None

    @property
    def start_time(self) -> datetime | None:
        """The time that the trial's scripts saw at the start; None if they had no clock."""
        if self.started is None or not self.started.now:
            return None
        return datetime.fromisoformat(self.started.now)

    @property
    def origin(self) -> str:
        """The trial from which this one was forked; empty if it was not forked."""
        return self.started.origin if self.started else ""

    @property
    def instruction(self) -> str:
        """The instruction with which the trial began; empty if no attempt has started it."""
        return self.started.instruction if self.started else ""

    def has_other_instruction(self, instruction: str) -> bool:
        """Return True if the trial began with another instruction than this one."""
        return self.started is not None and self.started.instruction != instruction

    # --- The steps and the answer ---

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

    @property
    def step_of_answer(self) -> int | None:
        """The number of the step that sent the answer; None if no step did.

        | the record has | the number |
        |---|---|
        | an answer of step 3, and that the environment took it | 3 |
        | an answer of step 3, but not if it was taken: the process was killed | 3 |
        | an answer that was sent after all steps, or no answer | None |
        """
        answering_step = self.all_steps.answering_step
        if answering_step is not None:
            return answering_step
        if self.answer is None or self.answer.fallback or self.answer.late:
            return None
        return self.answer.step

    @property
    def is_solved(self) -> bool:
        """True if the solver's work is done: an answer was sent, and its step is complete.

        It may be unknown whether the answer arrived, so the next attempt sends it again.
        """
        if self.answer is None:
            return False
        if self.answer.late:
            return True  # It was sent after all steps.
        return self.all_steps.cut_off is None
