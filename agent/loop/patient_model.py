"""Asks a model for one trial, and asks again after transient failures: those that may
pass.

A step waits for its model for a limited time. The trials of a run share a limited
number of retries. If the endpoint asks for a pause, all trials pause. Time in which the
model is down does not count as the trial's time.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Unpack

from controlplane.agent.events import ModelReplied
from controlplane.agent.loop.reply_form import RequestForm
from controlplane.agent.loop.trial_context import LeftOpen
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.model import (
    Abandoned,
    BadReply,
    Message,
    Model,
    ModelError,
    ModelRequest,
    Reply,
    RetriesExhausted,
)
from controlplane.agent.retry import (
    FailedAttempt,
    RetryBudget,
    RetryPolicy,
    call_with_retry,
    named_pause_s,
)
from controlplane.agent.spending import Spending

MAX_BAD_REPLIES: Final = 5
"""A step gives up after this many malformed replies: more retries would not help."""
FIRST_PAUSE_S: Final = 1.0
"""The longest pause after the first failure. Pauses are random, and later ones are
longer."""
MAX_SPREAD_S: Final = 0.5
"""Max random seconds added to a pause that the endpoint asks for, so that the trials do
not all ask again at the same moment."""


@dataclass(frozen=True, slots=True)
class ModelRetry:
    """Retries requests to a model after transient failures, within limits.

    It pauses between attempts. A pause that the endpoint asks for holds for all trials.
    """

    wait_s: float = 300.0
    """Seconds from the first request until it gives up."""
    longest_pause_s: float = 30.0
    """The longest pause in seconds between two attempts, if the endpoint asks for
    none."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when the reply is no longer wanted."""
    budget: RetryBudget = field(default_factory=lambda: RetryBudget(1000))
    """The retries that all trials of the run share."""
    spending: Spending = field(default_factory=Spending)
    """The run's limits of cost and time. Once one is reached, there are no more
    retries."""

    def ask(
        self, request_reply: Callable[[], Reply], on_retry: Callable[[str], None]
    ) -> Reply:
        """Return what `request_reply` returns. After transient failures, call it again.

        `on_retry` gets a line about each further attempt. Raises:

        - `Abandoned` if the reply is no longer wanted
        - `LeftOpen` if the run has spent its budget
        - `RetriesExhausted` if the run has no retries left
        - the `ModelError` of the last attempt if it is permanent, or if the time is
          over
        """
        return _RetriedRequest(self, request_reply, on_retry).reply()


@dataclass(slots=True)
class _RetriedRequest:
    """One request to a model, repeated until it succeeds or the retry gives up."""

    retry: ModelRetry
    request_reply: Callable[[], Reply]
    on_retry: Callable[[str], None]
    attempts: int = 1
    bad_replies: int = 0
    """Attempts whose replies were malformed."""

    def reply(self) -> Reply:
        """Return the reply. Raises the errors of `ModelRetry.ask`."""
        retry = self.retry
        try:
            reply = call_with_retry(
                self._attempt,
                RetryPolicy(retry.wait_s, FIRST_PAUSE_S, retry.longest_pause_s),
                is_transient=self._may_be_repeated,
                pause=self._pause_or_give_up,
                asked_pause_s=self._pause_named_by_endpoint,
            )
        except (Abandoned, RetriesExhausted):
            raise  # They are `ModelError`s, too, but already say why it gave up.
        except ModelError as error:
            if not error.retryable:
                raise
            raise self._last_error(error) from None
        retry.budget.give_back()  # Each success pays for one retry of the run.
        return reply

    # `call_with_retry` calls the next four methods: in each round `_attempt`, and after
    # an error the other three.

    def _attempt(self) -> Reply:
        """Wait until the pause of all trials is over, and then request the reply."""
        while True:
            remaining_pause_s = self.retry.budget.paused_s()
            if remaining_pause_s <= 0:
                return self.request_reply()
            self._wait(remaining_pause_s)
            if self.retry.stop.is_set():
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)

    def _may_be_repeated(self, error: Exception) -> bool:
        """Return True if another attempt may succeed and its reply is still wanted."""
        is_transient = isinstance(error, ModelError) and error.retryable
        return is_transient and not self.retry.stop.is_set()

    def _pause_named_by_endpoint(self, error: Exception) -> float | None:
        """Make all trials pause if the endpoint asks for it. Return the seconds; None
        if it does not ask."""
        pause_s = named_pause_s(error)
        if pause_s is None:
            return None
        self.retry.budget.pause(pause_s)
        return pause_s + random.uniform(0, MAX_SPREAD_S)

    def _pause_or_give_up(self, failed: FailedAttempt) -> bool:
        """Pause before the next attempt. Return True to give up instead.

        Raises `RetriesExhausted` if the run has no retries left.
        """
        # 1. Give up if too many replies were malformed.
        if isinstance(failed.error, BadReply):
            self.bad_replies += 1
        if self.bad_replies >= MAX_BAD_REPLIES:
            return True

        # 2. Take a retry from the run's budget.
        budget = self.retry.budget
        if not budget.use_retry():
            msg = f"{failed.error}; the run has used up its {budget.bound} retries (--model-retries)"
            raise RetriesExhausted(msg, retryable=True, affects_all=True) from None

        # 3. Pause.
        self.attempts += 1
        self.on_retry(
            f"{failed.error}; asking again in {failed.pause_s:.1f} s (try {self.attempts})"
        )
        self._wait(failed.pause_s)
        return self.retry.stop.is_set()

    def _wait(self, seconds: float) -> None:
        """Wait, at most until the run's time ends or the trial is told to stop.

        Raises `LeftOpen` if the run's budget is spent and the trial was not told to
        stop.
        """
        spending = self.retry.spending
        was_stopped = self.retry.stop.wait(min(seconds, spending.seconds_left))
        if not was_stopped and spending.used_up:
            raise LeftOpen(spending.used_up)

    def _last_error(self, error: ModelError) -> ModelError:
        """Return the error with which a step gives up after a transient failure."""
        if self.retry.stop.is_set():
            return Abandoned(str(error))
        if self.bad_replies >= MAX_BAD_REPLIES:
            text = f"{error}; given up after {self.bad_replies} such replies"
            return ModelError(text, affects_all=error.affects_all)
        text = (
            f"{error}; given up at try {self.attempts}: a step waits {self.retry.wait_s:g} s "
            "(--model-patience)"
        )
        return ModelError(text, retryable=True, affects_all=error.affects_all)


@dataclass(frozen=True, slots=True)
class PatientModel:
    """Asks one model for one trial, with retries.

    Created when the trial starts. The solver calls `solve`. Other requests use
    `complete`.
    """

    model: Model
    session: TrialSession
    """Records the replies, and counts the time that the trial has used."""
    retry: ModelRetry
    limit_s: float
    """Seconds that the trial may use."""

    def solve(
        self, conversation: Sequence[Message], **form: Unpack[RequestForm]
    ) -> ModelReplied:
        """Return the reply to the conversation, which the session records. Raises
        `ModelError`."""
        request = ModelRequest(conversation, "solve", **form)
        return self.session.ask(self.complete, request, is_conversation=True)

    def complete(self, request: ModelRequest) -> Reply:
        """Return a reply, without recording it. Raises `ModelError`.

        Only the last attempt counts as the trial's time: before it, the model was down.
        """
        clock = self.session.clock
        remaining_s = self.limit_s - clock.used_s
        started_at = time.monotonic()
        last_attempt_at = started_at

        def request_reply() -> Reply:
            nonlocal last_attempt_at
            last_attempt_at = time.monotonic()
            deadline = last_attempt_at + remaining_s
            return self.model.reply_to(replace(request, deadline=deadline))

        def record_retry(text: str) -> None:
            self.session.notice(text, retry=True)

        reply = self.retry.ask(request_reply, record_retry)
        clock.exclude(last_attempt_at - started_at)
        return reply
