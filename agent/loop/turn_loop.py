"""The turn loop that every solver drives: a conversation, its remaining budget, and the texts sent to the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.events.trial_events import Conversation
from agent.loop.patient_model import ModelRetry, PatientModel
from agent.loop.prompt_texts import Prompts, default_prompts
from agent.loop.trial_session import TrialSession
from agent.loop.turn_limits import Budget, BudgetLimits, ContextMeter, InitialPromptLimits, Repetition, UnusableStreak
from agent.model.model_protocol import Message, Model, OutOfTime
from agent.model.scripted_model import ScriptedModel
from agent.retry import RunBudget
from sandbox import ALL_WALLS, Limits, Wall

MOST_NOTES: Final = 20
"""Max notes on calls and changes in one message."""
TIME_WARNING_S: Final = 60.0
"""Seconds before the end of a trial's time from which the model is warned."""


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """Settings that every trial of a run shares."""

    budget: BudgetLimits = field(default_factory=BudgetLimits)
    opening: InitialPromptLimits = field(default_factory=InitialPromptLimits)
    limits: Limits = field(default_factory=Limits)
    walls: frozenset[Wall] = ALL_WALLS
    context_tokens: int | None = None
    """Tokens of the model's context; None if they are unknown."""
    patience_s: float = 300.0
    """Seconds that a step waits for a model that fails transiently."""
    switches_reply_mode: bool = True
    """After the same fault three times in a row, the model is asked in another reply mode."""
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""


@dataclass(frozen=True, slots=True)
class BorrowedStages:
    """The parts that the loop borrows from another solver."""

    order_by: str
    """The check that puts the references of submissions in order; empty for none."""
    before: Callable[[TrialSession, PatientModel], str]
    """Does a first step, if there is one, before the model is asked; returns what to tell the model about it."""


class TurnLoop(ABC):
    """One trial's turns. A solver defines how it takes a turn; this class keeps the conversation and the limits."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        *,
        switches_reply_mode: bool = False,
    ) -> None:
        self.session = session
        self.settings = settings
        self.prompts = settings.prompts
        self.budget = Budget(settings.budget)
        retry = ModelRetry(
            settings.patience_s, stop=session.stop, budget=run_budget.retries, spending=run_budget.spending
        )
        if isinstance(model, ScriptedModel):
            model = model.for_task(session.trial.task_id)
        self.model = PatientModel(model, session, retry, self.budget)
        self.streak = UnusableStreak(switches_reply_mode)
        self.repetition = Repetition(settings.budget.same_refusals)
        self.context = ContextMeter(settings.context_tokens, prompts=settings.prompts)
        self.conversation: Conversation = []

    @abstractmethod
    def take(self) -> None:
        """Take one turn: ask the model, carry out its reply, record the step, add to the conversation."""

    def run(self) -> str:
        """Take turns until the trial is answered, or return why no further turn is taken.

        Raises `ModelError` if no model answers, and `LeftOpen` if the trial was told to stop.
        """
        session = self.session
        # A reply that came before an interruption is acted on, even if no budget is left.
        while session.has_record or not (session.is_over or self.out_of):
            if not session.has_record:
                session.leave_if_stopped()
            try:
                self.take()
            except OutOfTime as error:
                return f"no answer within {self.settings.budget.trial_time_s:g} s: {error}"
        return "" if session.is_over else self.out_of

    @property
    def out_of(self) -> str:
        """The reason why the trial takes no further turn, or an empty string."""
        exhausted = self.session.exit.spent or self.budget.exhausted
        if exhausted:
            exhausted += f": {self.streak.cause or self.repetition.last_word}"
        return self.repetition.reason or self.streak.reason or exhausted or self.context.exhausted

    def say(self, message: Message) -> None:
        """Add a message to the conversation."""
        self.conversation.append(message)
        self.context.add(message["content"])
        for call in message.get("tool_calls", ()):
            self.context.add(call.arguments)

    def budget_notices(self) -> tuple[str, ...]:
        """Return notices on the budget for the model after a turn, usually none."""
        notices = []
        if name := self.budget.notice():
            notices.append(self.prompts.filled(name, left=self.budget.left))
        seconds = self.budget.seconds_left
        if seconds < TIME_WARNING_S:
            notices.append(self.prompts.filled("time", seconds=max(0, round(seconds / 10) * 10)))
        return tuple(notices)


def told_notes(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the block of notes on calls and changes: each note once, and the number of notes left out."""
    told = list(dict.fromkeys(notes))
    if rest := len(told[MOST_NOTES:]):
        told[MOST_NOTES:] = [f"… and {rest} more notes."]
    return ("<notes>\n" + "\n".join(told) + "\n</notes>\n",) if told else ()
