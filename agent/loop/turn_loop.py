"""The turn loop of every solver: it keeps the conversation, and ends the trial at a
limit.

Each turn asks the model once, and carries out its reply as one step of the trial. After
each step the loop counts the step in the limits (`turn_limits.py`). The first limit
that is used up ends the trial.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from controlplane.agent.events import Conversation
from controlplane.agent.loop.initial_prompt import DEFAULT_PROMPT_CHARS
from controlplane.agent.loop.patient_model import ModelRetry, PatientModel
from controlplane.agent.loop.prompt_texts import Prompts, default_prompts
from controlplane.agent.loop.repetition import RepetitionLimit
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.loop.turn_limits import (
    BudgetLimits,
    ContextLimit,
    StepLimit,
    TimeLimit,
)
from controlplane.agent.loop.unusable_replies import UnusableReplies
from controlplane.agent.model import (
    Message,
    Model,
    OutOfTime,
)
from controlplane.agent.retry import (
    RunBudget,
)
from controlplane.agent.trial_limits import TrialLimit
from controlplane.agent.trial_record import TrialStep
from controlplane.sandbox import ALL_LAYERS, Layer, Limits


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """Settings that every trial of a run shares."""

    budget: BudgetLimits = field(default_factory=BudgetLimits)
    """The limits of one trial: steps, time and repetitions. `RunBudget` limits all
    trials together."""
    initial_prompt_chars: int = DEFAULT_PROMPT_CHARS
    """Max characters of documents and listings in the initial prompt."""
    limits: Limits = field(default_factory=Limits)
    """What one script may use: its time, its memory and its output."""
    isolation: frozenset[Layer] = ALL_LAYERS
    """How scripts are kept apart from the machine."""
    context_tokens: int | None = None
    """Tokens of the model's context; None if they are unknown."""
    patience_s: float = 300.0
    """Seconds for which a step retries a model after failures that may pass."""
    switches_reply_mode: bool = True
    """True if the model may be asked in another reply mode (JSON, tool call or text)
    after three replies with the same fault."""
    replies_in_fences: bool = False
    """True if the model is asked for scripts in ```python fences instead of JSON."""
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""


class TurnLoop(ABC):
    """The turns of one trial, with the conversation and the limits.

    Each solver has a subclass, which defines `take_turn`. Created when the trial
    starts; `run` takes the turns.
    """

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        *,
        switches_reply_mode: bool = False,
    ) -> None:
        """`switches_reply_mode`: after unusable replies, the loop may ask for another
        form."""
        self.session = session
        self.settings = settings
        self.prompts = settings.prompts
        """The texts sent to the model."""
        self.conversation: Conversation = []
        """All messages so far. Each request sends all of them."""

        budget = settings.budget
        self.repetition = RepetitionLimit(budget.same_refusals, budget.same_scripts)
        self.unusable = UnusableReplies(budget, switches_reply_mode)
        self.steps = StepLimit(budget, prompts=settings.prompts)
        self.time = TimeLimit(
            session.clock,
            session.trial.time_limit_s or budget.trial_time_s,
            prompts=settings.prompts,
        )
        self.context = ContextLimit(settings.context_tokens, prompts=settings.prompts)
        self.own_limits: tuple[TrialLimit, ...] = (
            self.repetition,
            self.unusable,
            self.steps,
            self.time,
            self.context,
        )
        """The limits that the loop counts. The session counts its own."""
        self.limits: tuple[TrialLimit, ...] = (
            self.repetition,
            self.unusable,
            *session.limits,
            self.steps,
            self.time,
            self.context,
        )
        """All limits. The first that is used up gives the reason for the end, so those
        with more precise reasons than `no answer within 35 steps` come first."""

        retry = ModelRetry(
            settings.patience_s,
            stop=session.stop,
            budget=run_budget.retries,
            spending=run_budget.spending,
        )
        self.model = PatientModel(model, session, retry, self.time.limit_s)
        """The model, with retries after failures that may pass."""

    @abstractmethod
    def take_turn(self) -> None:
        """Take one turn: ask the model, carry out its reply, record the step, and call
        `count_step`."""

    @abstractmethod
    def add_to_conversation(self, step: TrialStep) -> None:
        """Add the messages of a completed step to the conversation."""

    def add_warnings(self, step: TrialStep) -> None:
        """Add the limits' warnings to the feedback of the current step, as if it were
        counted already. A trial that is over gets none."""
        if self.session.is_over:
            return
        done = step.summary
        feedback = done.feedback
        for limit in self.limits:
            # The context limit measures the whole message, with the other warnings.
            message = "".join((step.solve_reply.reply, *feedback))
            warning = limit.after(step).warning(message)
            if warning:
                feedback = (*feedback, warning)
        step.done = done.model_copy(update={"feedback": feedback})

    def is_last_step(self, step: TrialStep) -> bool:
        """Return True if a limit ends the trial after the current step.

        Two limits are ignored: the time, because a resumed trial repeats the step in
        another time, and the cost, which ends the trial with its fallback answer.
        """
        ignored = (self.time, self.session.cost_limit)
        for limit in self.limits:
            if limit not in ignored and limit.after(step).reason:
                return True
        return False

    def count_step(self, step: TrialStep) -> None:
        """Count a completed step, new or recorded, and add it to the conversation."""
        for limit in self.own_limits:
            limit.count(step)
        self.add_to_conversation(step)

    def run(self) -> str:
        """Take turns until the trial ends. Return why it has no answer; empty if it has
        one.

        Raises `ModelError` if the model fails, and `LeftOpen` if the trial was told to
        stop.
        """
        session = self.session
        while not session.is_over:
            reason = self.reason_to_end
            if reason:
                return reason
            session.leave_if_stopped()
            try:
                self.take_turn()
            except OutOfTime as error:
                return f"no answer within {self.time.limit_s:g} s: {error}"
        return ""

    @property
    def reason_to_end(self) -> str:
        """The reason why the trial takes no further turn; empty while all limits
        hold."""
        for limit in self.limits:
            reason = limit.reason
            if not reason:
                continue
            if limit.names_last_fault:
                last_fault = self.unusable.last_fault or self.repetition.last_fault
                reason = f"{reason}: {last_fault}"
            return reason
        return ""

    def say(self, message: Message) -> None:
        """Add a message to the conversation."""
        self.conversation.append(message)
        self.context.add(message["content"])
        for call in message.get("tool_calls", ()):
            self.context.add(call.arguments)
