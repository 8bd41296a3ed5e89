"""Asks a model for one trial: retries transient failures within a step's time limit and a run's budget of retries.

A pause that the endpoint names holds for every trial of the run. Outage time is excluded from the trial's limit.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Unpack

from agent.events.trial_events import ModelReplied
from agent.loop.trial_session import LeftOpen, TrialSession
from agent.loop.turn_limits import Budget, Form
from agent.model.model_protocol import (
    DEADLINE,
    Abandoned,
    BadReply,
    Message,
    Model,
    ModelError,
    Reply,
    RetriesExhausted,
)
from agent.retry import FailedAttempt, RetryBudget, RetryPolicy, Spending, call_with_retry, named_pause_s

FIRST_PAUSE_S: Final = 1.0
BAD_REPLIES: Final = 5
"""Unusable replies, such as empty ones, after which a step gives up."""
SPREAD_S: Final = 0.5
"""Seconds over which trials that wait for the same moment are spread."""


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
            if not self.budget.take():
                msg = f"{failed.error}; the run has used up its {self.budget.bound} retries (--model-retries)"
                raise RetriesExhausted(msg, retryable=True, affects_all=True) from None
            attempts += 1
            on_retry(f"{failed.error}; asking again in {failed.pause_s:.1f} s (try {attempts})")
            return self._wait(failed.pause_s)

        try:
            reply = call_with_retry(
                lambda: self._ask_when_allowed(ask),
                RetryPolicy(self.wait_s, FIRST_PAUSE_S, self.longest_pause_s),
                is_transient=lambda error: isinstance(error, ModelError) and error.retryable and not self.stop.is_set(),
                pause=pause,
                asked_pause_s=self._named_pause_s,
            )
        except (Abandoned, RetriesExhausted):
            raise
        except ModelError as error:
            if not error.retryable:
                raise
            if self.stop.is_set():
                raise Abandoned(str(error), retryable=False) from None
            if bad_replies >= BAD_REPLIES:
                msg = f"{error}; given up after {bad_replies} such replies"
                raise ModelError(msg, retryable=False) from None
            msg = f"{error}; given up at try {attempts}: a step waits {self.wait_s:g} s (--model-patience)"
            raise ModelError(msg, retryable=True, affects_all=error.affects_all) from None
        self.budget.give_back()
        return reply

    def _named_pause_s(self, error: Exception) -> float | None:
        named_s = named_pause_s(error)
        if named_s is None:
            return None
        self.budget.pause(named_s)
        return named_s + random.uniform(0, SPREAD_S)

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
                raise Abandoned(msg, retryable=False)
        return ask()


@dataclass(frozen=True, slots=True)
class PatientModel:
    """One model, as one trial uses it."""

    model: Model
    session: TrialSession
    retry: ModelRetry
    budget: Budget

    def solve(self, conversation: Sequence[Message], **form: Unpack[Form]) -> ModelReplied:
        """Return the reply to the trial's conversation, which the journal holds already. Raises `ModelError`."""
        return self.session.ask(
            lambda: self.complete(conversation, "solve", **form), conversation, is_conversation=True
        )

    def complete(self, messages: Sequence[Message], role: str, **form: Unpack[Form]) -> Reply:
        """Return a reply that is not recorded yet. Raises `ModelError`."""

        def ask() -> Reply:
            asked.append(time.perf_counter())
            DEADLINE.set(time.monotonic() + left_s)  # without the time of the attempts before
            return self.model.complete(messages, role, **form)

        asked: list[float] = []
        left_s = self.budget.seconds_left
        started = time.perf_counter()
        reply = self.retry.ask(ask, lambda text: self.session.notice(text, retry=True))
        self.budget.started += asked[-1] - started  # An outage of the model is not the trial's time.
        return reply
