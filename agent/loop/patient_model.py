"""Asks a model for one trial, and retries after transient failures.

A step waits for its model for a limited time. All trials of a run share a budget of retries. If the
endpoint asks for a pause, all of them pause. The time in which the model is down does not count as
the trial's time.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Unpack

from controlplane.agent.events import ModelReplied
from controlplane.agent.loop.trial_session import LeftOpen, TrialSession
from controlplane.agent.loop.turn_limits import RequestForm
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

BAD_REPLIES: Final = 5
"""A step gives up after this many malformed replies, because it cannot understand the endpoint."""
FIRST_PAUSE_S: Final = 1.0
"""The longest random pause after the first failure, if the endpoint asks for none."""
MOST_SPREAD_S: Final = 0.5
"""Max random seconds added to a pause, so that not all trials ask again at the same moment."""


@dataclass(frozen=True, slots=True)
class ModelRetry:
    """Retries requests to a model after transient failures, within limits.

    It pauses between two attempts. If the endpoint asks for a pause, the pause holds for all
    trials.
    """

    wait_s: float = 300.0
    """Seconds from the first request until it gives up."""
    longest_pause_s: float = 30.0
    """The longest pause in seconds between two attempts, if the endpoint asks for none."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when the reply is no longer wanted."""
    budget: RetryBudget = field(default_factory=lambda: RetryBudget(1000))
    """The run's retries."""
    spending: Spending = field(default_factory=Spending)
    """The run's other limits. Once one is reached, there are no more retries."""

    def ask(self, request_reply: Callable[[], Reply], on_retry: Callable[[str], None]) -> Reply:
        """Return the reply from `request_reply`, which is called again after transient failures.

        `on_retry` gets a line about each further attempt. Raises:

        - `Abandoned` if the reply is no longer wanted
        - `LeftOpen` if the run has spent its budget
        - `RetriesExhausted` if the run has no retries left
        - the `ModelError` of the last attempt if it is permanent, or if the time is over
        """
        attempts = _Attempts()

        def attempt() -> Reply:
            return self._ask_after_pause(request_reply)

        def pause(failed: FailedAttempt) -> bool:
            return self._end_or_pause(failed, attempts, on_retry)

        try:
            reply = call_with_retry(
                attempt,
                RetryPolicy(self.wait_s, FIRST_PAUSE_S, self.longest_pause_s),
                is_transient=self._may_be_asked_again,
                pause=pause,
                asked_pause_s=self._named_pause_s,
            )
        except (Abandoned, RetriesExhausted):
            raise
        except ModelError as error:
            if not error.retryable:
                raise
            raise self._last_error(error, attempts) from None
        self.budget.give_back()
        return reply

    def _may_be_asked_again(self, error: Exception) -> bool:
        """Return True if another attempt may succeed and its reply is still wanted."""
        return isinstance(error, ModelError) and error.retryable and not self.stop.is_set()

    def _ask_after_pause(self, request_reply: Callable[[], Reply]) -> Reply:
        """Wait until the pause for all trials is over, and then request the reply."""
        while True:
            remaining_pause_s = self.budget.paused_s()
            if remaining_pause_s <= 0:
                return request_reply()
            was_stopped = self._wait(remaining_pause_s)
            if was_stopped:
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)

    def _end_or_pause(
        self, failed: FailedAttempt, attempts: _Attempts, on_retry: Callable[[str], None]
    ) -> bool:
        """Wait before the next attempt. Return True if there must be no further attempt.

        Raises `RetriesExhausted` if the run has no retries left.
        """
        if isinstance(failed.error, BadReply):
            attempts.bad_replies += 1
        if attempts.bad_replies >= BAD_REPLIES:
            return True
        if not self.budget.use_retry():
            msg = (
                f"{failed.error}; the run has used up its {self.budget.bound} retries "
                "(--model-retries)"
            )
            raise RetriesExhausted(msg, retryable=True, affects_all=True) from None
        attempts.count += 1
        on_retry(f"{failed.error}; asking again in {failed.pause_s:.1f} s (try {attempts.count})")
        return self._wait(failed.pause_s)

    def _named_pause_s(self, error: Exception) -> float | None:
        """Return the pause that the endpoint asks for, and let all trials pause; None if it asks
        for none."""
        named_s = named_pause_s(error)
        if named_s is None:
            return None
        self.budget.pause(named_s)
        return named_s + random.uniform(0, MOST_SPREAD_S)

    def _wait(self, seconds: float) -> bool:
        """Wait, at most until the run's time is over. Return True if the trial was told to stop.

        Raises `LeftOpen` if the run has spent its budget.
        """
        was_stopped = self.stop.wait(min(seconds, self.spending.seconds_left))
        if was_stopped:
            return True
        if self.spending.used_up:
            raise LeftOpen(self.spending.used_up)
        return False

    def _last_error(self, error: ModelError, attempts: _Attempts) -> ModelError:
        """Return the error with which a step gives up after a transient failure."""
        if self.stop.is_set():
            return Abandoned(str(error))
        if attempts.bad_replies >= BAD_REPLIES:
            text = f"{error}; given up after {attempts.bad_replies} such replies"
            return ModelError(text, affects_all=error.affects_all)
        text = (
            f"{error}; given up at try {attempts.count}: a step waits {self.wait_s:g} s "
            "(--model-patience)"
        )
        return ModelError(text, retryable=True, affects_all=error.affects_all)


@dataclass(slots=True)
class _Attempts:
    """Counts the attempts to get one reply."""

    count: int = 1
    bad_replies: int = 0
    """Attempts whose replies were malformed."""


@dataclass(frozen=True, slots=True)
class PatientModel:
    """Asks one model for one trial, with retries.

    Created when the trial starts. The solver calls `solve`; side requests use `complete`.
    """

    model: Model
    session: TrialSession
    """Records the replies, and counts the time that the trial has used."""
    retry: ModelRetry
    limit_s: float
    """Seconds that the trial may use."""

    def solve(self, conversation: Sequence[Message], **form: Unpack[RequestForm]) -> ModelReplied:
        """Return the reply to the conversation, which the journal already has. Raises
        `ModelError`."""
        request = ModelRequest(conversation, "solve", **form)
        return self.session.ask(self.complete, request, is_conversation=True)

    def complete(self, request: ModelRequest) -> Reply:
        """Return a reply, without recording it. Raises `ModelError`.

        Only the last attempt counts as time of the trial, because the model was down before it.
        """
        clock = self.session.clock
        remaining_s = self.limit_s - clock.used_s
        attempt_times: list[float] = []

        def request_reply() -> Reply:
            attempt_times.append(time.perf_counter())
            deadline = time.monotonic() + remaining_s
            return self.model.reply_to(replace(request, deadline=deadline))

        def record_retry(text: str) -> None:
            self.session.notice(text, retry=True)

        started = time.perf_counter()
        reply = self.retry.ask(request_reply, record_retry)
        time_down_s = attempt_times[-1] - started
        clock.exclude(time_down_s)
        return reply
