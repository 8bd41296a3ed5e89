"""A model as one trial asks it: again after transient failures, within the limits of trial and run.

A step waits for its model for a limited time. All trials of a run share a budget of retries, and a
pause that the endpoint asks for holds for all of them. The time in which the model is down is not
counted as time of the trial.
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
"""Malformed replies after which a step gives up: the endpoint is not one that we understand."""
FIRST_PAUSE_S: Final = 1.0
"""Seconds of the pause after the first failure, if the endpoint names none."""
MOST_SPREAD_S: Final = 0.5
"""Seconds by which trials that wait for the same moment are spread."""


@dataclass(frozen=True, slots=True)
class ModelRetry:
    """Asks a model again after transient failures, within limits.

    Between two attempts there is a pause. It may be one that the endpoint asks for, which then holds for all trials.
    """

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

    def ask(self, request_reply: Callable[[], Reply], on_retry: Callable[[str], None]) -> Reply:
        """Return the reply that `request_reply` returns, calling it again as long as that may help.

        `on_retry` gets a line about each further attempt. Raises:

        - `Abandoned` if the reply is no longer wanted
        - `LeftOpen` if the run may spend no more
        - `RetriesExhausted` if the run has no retries left
        - else the `ModelError` of the last attempt, if another one would not help or the time is over
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
        """Ask once the pause is over that the endpoint asked all trials for."""
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
        """Return True if there is no further attempt; else wait before it, and return False.

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
        """Return the pause that the endpoint asks for, which then holds for all trials; or None."""
        named_s = named_pause_s(error)
        if named_s is None:
            return None
        self.budget.pause(named_s)
        return named_s + random.uniform(0, MOST_SPREAD_S)

    def _wait(self, seconds: float) -> bool:
        """Wait, at most until the run's time is over; return True if stopped. Raises `LeftOpen`."""
        was_stopped = self.stop.wait(min(seconds, self.spending.seconds_left))
        if was_stopped:
            return True
        if self.spending.used_up:
            raise LeftOpen(self.spending.used_up)
        return False

    def _last_error(self, error: ModelError, attempts: _Attempts) -> ModelError:
        """Return the error with which a step gives up after a transient one."""
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
    """How often a model was asked for one reply."""

    count: int = 1
    bad_replies: int = 0
    """Attempts whose replies were malformed."""


@dataclass(frozen=True, slots=True)
class PatientModel:
    """One model, as one trial uses it."""

    model: Model
    session: TrialSession
    """Records the replies, and knows how much time the trial has used."""
    retry: ModelRetry
    limit_s: float
    """Seconds that the trial may use."""

    def solve(self, conversation: Sequence[Message], **form: Unpack[RequestForm]) -> ModelReplied:
        """Return the reply to the conversation, which the journal holds already. Raises `ModelError`."""
        request = ModelRequest(conversation, "solve", **form)
        return self.session.ask(self.complete, request, is_conversation=True)

    def complete(self, request: ModelRequest) -> Reply:
        """Return a reply that is not recorded yet. Raises `ModelError`.

        Of the time of the trial only the last attempt counts: before it, the model was down.
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
