"""The turn loop that every solver drives: a conversation, what ends it, and the model, asked with retries.

A trial ends with its budget, its model's context, repetition, or unusable replies in a row. Transient failures are
retried within a step's time limit and a run's budget of retries. A pause that the endpoint names holds for every trial
of the run. Outage time is excluded from the trial's limit.
"""

from __future__ import annotations

import random
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Unpack

from controlplane.agent.events import Conversation, ModelReplied, StepDone
from controlplane.agent.loop.initial_prompt import Prompts, default_prompts
from controlplane.agent.loop.trial_session import LeftOpen, TrialSession
from controlplane.agent.loop.turn_limits import (
    BudgetLimits,
    ContextLimit,
    Form,
    RepetitionLimit,
    StepLimit,
    TimeLimit,
    UnusableReplies,
)
from controlplane.agent.model import (
    Abandoned,
    BadReply,
    Message,
    Model,
    ModelError,
    ModelRequest,
    OutOfTime,
    Reply,
    RetriesExhausted,
)
from controlplane.agent.retry import (
    FailedAttempt,
    RetryBudget,
    RetryPolicy,
    RunBudget,
    call_with_retry,
    named_pause_s,
)
from controlplane.agent.spending import Spending
from controlplane.agent.trial_limits import TrialLimit
from controlplane.agent.trial_record import TrialStep
from controlplane.sandbox import ALL_LAYERS, Layer, Limits
from controlplane.sandbox.interface import bounds

BAD_REPLIES: Final = 5
"""Malformed replies after which a step gives up."""


@dataclass(frozen=True, slots=True)
class ModelRetry:
    """Limits on a step's wait for a model that fails transiently."""

    wait_s: float = 300.0
    """Seconds from the first request to giving up."""
    longest_pause_s: float = 30.0
    """Seconds of the longest pause between two attempts, if the endpoint names none."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when the reply is no longer wanted."""
    budget: RetryBudget = field(default_factory=lambda: RetryBudget(1000))
    """The run's retries."""
    spending: Spending = field(default_factory=Spending)
    """The run's other limits: once one is reached, nothing is asked again."""

    def ask(self, ask: Callable[[], Reply], on_retry: Callable[[str], None]) -> Reply:
        """Return what `ask` returns. Raises the last `ModelError` if it is not retryable or the limits are reached, and
        `LeftOpen` if a limit of the run is."""
        attempts = 1
        bad_replies = 0

        def pause(failed: FailedAttempt) -> bool:
            nonlocal attempts, bad_replies
            bad_replies += isinstance(failed.error, BadReply)
            if bad_replies >= BAD_REPLIES:
                return True
            if not self.budget.use_retry():
                msg = f"{failed.error}; the run has used up its {self.budget.bound} retries (--model-retries)"
                raise RetriesExhausted(msg, retryable=True, affects_all=True) from None
            attempts += 1
            on_retry(f"{failed.error}; asking again in {failed.pause_s:.1f} s (try {attempts})")
            return self._wait(failed.pause_s)

        try:
            reply = call_with_retry(
                lambda: self._ask_when_allowed(ask),
                RetryPolicy(self.wait_s, 1.0, self.longest_pause_s),
                is_transient=lambda error: (
                    isinstance(error, ModelError) and error.retryable and not self.stop.is_set()
                ),
                pause=pause,
                asked_pause_s=self._named_pause_s,
            )
        except (Abandoned, RetriesExhausted):
            raise
        except ModelError as error:
            if not error.retryable:
                raise
            if self.stop.is_set():
                raise Abandoned(str(error)) from None
            if bad_replies >= BAD_REPLIES:
                msg = f"{error}; given up after {bad_replies} such replies"
                raise ModelError(msg, affects_all=error.affects_all) from None
            msg = f"{error}; given up at try {attempts}: a step waits {self.wait_s:g} s (--model-patience)"
            raise ModelError(msg, retryable=True, affects_all=error.affects_all) from None
        self.budget.give_back()
        return reply

    def _named_pause_s(self, error: Exception) -> float | None:
        named_s = named_pause_s(error)
        if named_s is None:
            return None
        self.budget.pause(named_s)
        return named_s + random.uniform(0, 0.5)  # trials that wait for the same moment are spread

    def _wait(self, seconds: float) -> bool:
        """Wait, at most until the run's time is over; return True if stopped. Raises `LeftOpen`."""
        if self.stop.wait(min(seconds, self.spending.seconds_left)):
            return True
        if self.spending.used_up:
            raise LeftOpen(self.spending.used_up)
        return False

    def _ask_when_allowed(self, ask: Callable[[], Reply]) -> Reply:
        while (paused_s := self.budget.paused_s()) > 0:
            if self._wait(paused_s):
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)
        return ask()


@dataclass(frozen=True, slots=True)
class PatientModel:
    """One model, as one trial uses it."""

    model: Model
    session: TrialSession
    retry: ModelRetry
    limit_s: float
    """Seconds that the trial may use."""

    def solve(self, conversation: Sequence[Message], **form: Unpack[Form]) -> ModelReplied:
        """Return the reply to the trial's conversation, which the journal holds already. Raises `ModelError`."""
        request = ModelRequest(conversation, "solve", **form)
        return self.session.ask(self.complete, request, is_conversation=True)

    def complete(self, request: ModelRequest) -> Reply:
        """Return a reply that is not recorded yet. Raises `ModelError`."""
        clock = self.session.clock
        remaining_s = self.limit_s - clock.used_s
        request_times: list[float] = []

        def ask() -> Reply:
            request_times.append(time.perf_counter())
            # The time of the attempts before does not count.
            deadline = time.monotonic() + remaining_s
            return self.model.reply_to(replace(request, deadline=deadline))

        started = time.perf_counter()
        reply = self.retry.ask(ask, lambda text: self.session.notice(text, retry=True))
        # An outage of the model is not the trial's time.
        clock.exclude(request_times[-1] - started)
        return reply


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """Settings that every trial of a run shares."""

    budget: BudgetLimits = field(default_factory=BudgetLimits)
    initial_prompt_chars: int = 120_000
    """Max characters of documents and listings in the initial prompt."""
    limits: Limits = field(default_factory=Limits)
    isolation: frozenset[Layer] = ALL_LAYERS
    context_tokens: int | None = None
    """Tokens of the model's context; None if they are unknown."""
    patience_s: float = 300.0
    """Seconds that a step waits for a model that fails transiently."""
    switches_reply_mode: bool = True
    """After the same fault three times in a row, the model is asked in another reply mode."""
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""


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
        self.conversation: Conversation = []
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
        retry = ModelRetry(
            settings.patience_s,
            stop=session.stop,
            budget=run_budget.retries,
            spending=run_budget.spending,
        )
        self.model = PatientModel(model, session, retry, self.time.limit_s)

    @property
    def own_limits(self) -> tuple[TrialLimit, ...]:
        """The limits that the loop counts."""
        return (self.repetition, self.unusable, self.steps, self.time, self.context)

    @property
    def limits(self) -> tuple[TrialLimit, ...]:
        """All limits of the trial, in the order in which they are asked whether it ends. The session
        counts its own."""
        return (
            self.repetition,
            self.unusable,
            *self.session.limits,
            self.steps,
            self.time,
            self.context,
        )

    @abstractmethod
    def take_turn(self) -> None:
        """Take one turn: ask the model, carry out its reply, record the step, and take it into account."""

    @abstractmethod
    def add_to_conversation(self, step: TrialStep) -> None:
        """Add what was said in a step that is whole to the conversation."""

    def sum_up(self, step: TrialStep, done: StepDone) -> None:
        """Set the summary of the step under way. Its feedback ends with the warnings of the limits.

        A trial that is over gets no feedback.
        """
        step.done = done
        if self.session.is_over:
            return
        feedback = done.feedback
        for limit in self.limits:
            message = "".join((step.solve_reply.reply, *feedback))
            warning = limit.after(step).warning(message)
            if warning:
                feedback = (*feedback, warning)
        step.done = done.model_copy(update={"feedback": feedback})

    def is_last_step(self, step: TrialStep) -> bool:
        """Return whether the trial ends after a step, whose summary is set.

        The time does not count, because a step that is run again takes another time.
        """
        for limit in self.limits:
            if limit is not self.time and limit.after(step).reason:
                return True
        return False

    def take_step(self, step: TrialStep) -> None:
        """Take a whole step into account: one that was just lived, or a recorded one."""
        for limit in self.own_limits:
            limit.count(step)
        self.add_to_conversation(step)

    def run(self) -> str:
        """Take turns until the trial is answered, or return why no further turn is taken.

        Raises `ModelError` if no model answers, and `LeftOpen` if the trial was told to stop.
        """
        session = self.session
        while not (session.is_over or self.reason_to_end):
            session.leave_if_stopped()
            try:
                self.take_turn()
            except OutOfTime as error:
                return f"no answer within {self.time.limit_s:g} s: {error}"
        return "" if session.is_over else self.reason_to_end

    @property
    def reason_to_end(self) -> str:
        """The reason why the trial takes no further turn; empty within its limits."""
        for limit in self.limits:
            reason = limit.reason
            if reason and limit.names_last_fault:
                reason += f": {self.unusable.last_fault or self.repetition.last_fault}"
            if reason:
                return reason
        return ""

    def say(self, message: Message) -> None:
        """Add a message to the conversation."""
        self.conversation.append(message)
        self.context.add(message["content"])
        for call in message.get("tool_calls", ()):
            self.context.add(call.arguments)


def notes_block(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the block of notes on calls and changes: each note once, and the number of notes left out."""
    unique = list(dict.fromkeys(notes))
    if rest := len(unique[bounds.SHOWN_ROWS :]):
        unique[bounds.SHOWN_ROWS :] = [f"… and {rest} more notes."]
    return ("<notes>\n" + "\n".join(unique) + "\n</notes>\n",) if unique else ()
