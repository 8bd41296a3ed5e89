"""What a journal has about one trial: enough to resume the trial, or to replay it.

An attempt is one run of a trial. A trial that was cut off has several: the next one
resumes it.
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


@dataclass(slots=True)
class SideReply:
    """A reply to a request of the benchmark or for the second reader, not of the solver."""

    texts: tuple[SaidMessage, ...]
    """The messages of the request."""
    replied: ModelReplied
    """The event with the reply."""


@dataclass(slots=True)
class TrialRecord:
    """The record of a trial."""

    started: TrialStarted | None = None
    """The first start of the trial; None if no attempt has started it."""
    initial_prompt: ConversationOpened | None = None
    """The initial prompt; None if the trial broke off before it was ready."""
    all_steps: RecordedSteps = field(default_factory=RecordedSteps)
    """The steps of the solver."""
    side_replies: list[SideReply] = field(default_factory=list)
    """The replies outside of the solver's conversation, such as to a grader."""
    paid_replies: list[ModelReplied] = field(default_factory=list)
    """All replies of models: replies of the steps,
    side replies, and replies that could not be used."""
    notices: list[str] = field(default_factory=list)
    """The texts of the notices, except notices about retries."""
    answer: AnswerSent | None = None
    """An answer that was sent; whether it arrived may be unknown."""

    # --- The start ---

    @property
    def has_begun(self) -> bool:
        """True if an earlier attempt has started the trial."""
        return self.started is not None

    @property
    def is_resumed(self) -> bool:
        """True if an earlier attempt did more than start: its initial prompt was ready."""
        return self.initial_prompt is not None

    @property
    def now(self) -> datetime | None:
        """The time that the trial's scripts saw at the start; None if they had no clock."""
        if self.started is None or not self.started.now:
            return None
        return datetime.fromisoformat(self.started.now)

    @property
    def origin(self) -> str:
        """The trial from which it was forked; empty if it was not forked."""
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
    def steps(self) -> list[StepDone]:
        """The summaries of the whole steps."""
        return self.all_steps.summaries

    @property
    def all_calls(self) -> Iterator[CallRecord]:
        """The calls in order: the calls of the initial prompt, then of each step.

        If the initial prompt was cut off, its calls
        are left out, because they are made again.
        """
        if self.initial_prompt is not None:
            yield from self.initial_prompt.calls
        for step in self.all_steps:
            yield from step.calls

    @property
    def step_of_answer(self) -> int | None:
        """The number of the step that sent the answer; None if no step did."""
        answering_step = self.all_steps.answering_step
        if answering_step is not None or self.answer is None:
            return answering_step
        # The environment's result of the answer may be missing in the record.
        is_after_all_steps = self.answer.fallback or self.answer.late
        return None if is_after_all_steps else self.answer.step

    @property
    def is_solved(self) -> bool:
        """True if the solver's work is done: an answer was sent, and its step is complete.

        It may be unknown whether the answer arrived,
        so the next attempt sends it again.
        """
        if self.answer is None:
            return False
        is_sent_after_all_steps = self.answer.late  # Not by a script.
        return is_sent_after_all_steps or self.all_steps.cut_off is None
