"""What a journal has about one trial: enough to go on with the trial, or to relive it.

In a trial, a solver works on a task. It may be interrupted, for example by a power failure. A
second *attempt* then relives the recorded steps, and goes on from there (*resumes* the trial).
A *replay* relives a whole recorded trial, to compare the two. If the power failed in step 3, the
record has `started`, when the first attempt began, the `initial_prompt`, the steps 1 and 2, and
then step 3 as the second attempt did it.
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
from controlplane.agent.record.trial_step import TrialStep

# A reply of a model outside of the solver's conversation: to a *side request*.
#
# For example, a grader asked a model to score the answer, a benchmark asked one to play the user,
# or a second reader was asked for objections. A resumed trial finds the reply by the request:
#
#     SideReply(texts=(SaidMessage("user", "Is 7 EUR right?"),), replied=ModelReplied(reply="yes"))


@dataclass(slots=True)
class SideReply:
    """A reply outside of the solver's conversation, with the request that it answers."""

    texts: tuple[SaidMessage, ...]
    """The messages of the request."""
    replied: ModelReplied
    """The event with the reply."""


@dataclass(slots=True)
class TrialRecord:
    """What a journal has about one trial. Empty for a trial that was never started."""

    started: TrialStarted | None = None
    """The first start of the trial; None if it was never started."""
    initial_prompt: ConversationOpened | None = None
    """The initial prompt; None if the trial broke off before it was ready."""
    whole_steps: list[TrialStep] = field(default_factory=list)
    """The steps of the solver whose summaries are recorded."""
    open_step: TrialStep = field(default_factory=TrialStep)
    """The step to which further events are added. Its number is 0 if no step has begun since the
    last whole one."""
    side_replies: list[SideReply] = field(default_factory=list)
    """The replies outside of the solver's conversation, such as to a grader."""
    paid_replies: list[ModelReplied] = field(default_factory=list)
    """All replies of models that were paid for, even those that could not be used."""
    notices: list[str] = field(default_factory=list)
    """The texts of the notices to the user, except those about a request that was retried."""
    answer: AnswerSent | None = None
    """The answer that was sent; None before. Whether it arrived may be unknown."""

    # How the trial began. All is empty if no attempt has started it.

    @property
    def has_begun(self) -> bool:
        """True if an earlier attempt has started the trial."""
        return self.started is not None

    @property
    def start_time(self) -> datetime | None:
        """The time that the trial's scripts saw at the start; None if they had no clock.

        A trial that is resumed keeps it.
        """
        if self.started is None or not self.started.now:
            return None
        return datetime.fromisoformat(self.started.now)

    @property
    def origin(self) -> str:
        """The id of the trial whose first steps and random numbers this one has, as a *fork* of
        it; empty if it is no fork."""
        return self.started.origin if self.started else ""

    @property
    def instruction(self) -> str:
        """The instruction with which the trial began."""
        return self.started.instruction if self.started else ""

    @property
    def is_resumed(self) -> bool:
        """True if the next attempt goes on with the recorded initial prompt."""
        return self.initial_prompt is not None

    def has_other_instruction(self, instruction: str) -> bool:
        """Return True if the trial began with another instruction than this one."""
        return self.has_begun and self.instruction != instruction

    # Whether work is left, and which step sent the answer.
    #
    # An answer is sent in a step or, *late*, after all steps. If the process is killed, the next one
    # cannot be sure that the answer has arrived, and sends it again:
    #
    #     recorded of step 3                          recorded after it    is_solved   step_of_answer
    #     answer_sent, then the process was killed                         False       3
    #     answer_sent, answer_done, step_done                              True        3
    #     answer_sent, answer_done, step_done         answer_sent, late    True        3
    #     step_done                                   answer_sent, late    True        None

    @property
    def is_solved(self) -> bool:
        """True if the solver's work is done: an answer was sent, and its step is complete."""
        if self.answer is None:
            return False
        return self.answer.late or self.unfinished_step is None

    @property
    def step_of_answer(self) -> int | None:
        """The number of the step that sent the answer; None if no step did."""
        # The environment may have refused the answers of earlier steps.
        for step in self.all_steps:
            if any(result.is_taken for result in step.answer_results):
                return step.number
        # The record does not say that an answer was taken, for example because the process was
        # killed meanwhile. Then the last answer that was sent counts.
        if self.answer is None or self.answer.late:
            return None
        return self.answer.step

    # The steps. If the process is killed in step 3, this step is *unfinished*: it has begun, and its
    # summary is not recorded. The next attempt at the trial does it again.

    @property
    def unfinished_step(self) -> TrialStep | None:
        """The step that has begun, and has no summary; None if there is none."""
        return self.open_step if self.open_step.number else None

    @property
    def all_steps(self) -> list[TrialStep]:
        """The whole steps in order, then the unfinished one, if there is one."""
        if self.unfinished_step is None:
            return self.whole_steps
        return [*self.whole_steps, self.unfinished_step]

    @property
    def step_summaries(self) -> list[StepDone]:
        """The summaries of the whole steps."""
        return [step.summary for step in self.whole_steps]

    @property
    def used_s(self) -> float:
        """Seconds that the trial had used at the end of the last whole step."""
        if not self.whole_steps:
            return 0.0
        return self.whole_steps[-1].summary.used_ms / 1000

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
