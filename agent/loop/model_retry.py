"""Repeats requests to a model after transient failures.

A step waits for its model for a limited time. The trials of a run share a limited
number of retries. If the endpoint asks for a pause, all trials pause.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.limits.spending import Spending
from controlplane.agent.loop.session.trial_context import LeftOpen
from controlplane.agent.model import (
    Abandoned,
    BadReply,
    ModelError,
    Reply,
    RetriesExhausted,
)
from controlplane.agent.retry import RetryBudget, RetryPolicy, named_pause_s

MAX_BAD_REPLIES: Final = 5
"""A step gives up after this many malformed replies."""
FIRST_PAUSE_S: Final = 1.0
"""The upper bound of the first random pause."""
MAX_SPREAD_S: Final = 0.5
"""Max random seconds added to a pause that the endpoint
asks for, so that the trials do not all ask again at once."""


@dataclass(frozen=True, slots=True)
class ModelRetry:
    """Retries requests to a model after transient failures, within limits."""

    wait_s: float = 300.0
    """Seconds from the first request until it gives up."""
    longest_pause_s: float = 30.0
    """The longest pause between two attempts, if the endpoint asks for none."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when the reply is no longer wanted."""
    budget: RetryBudget = field(default_factory=lambda: RetryBudget(1000))
    """The retries that all trials of the run share."""
    spending: Spending = field(default_factory=Spending)
    """What the run may spend. Once it is spent, there are no more retries."""

    @property
    def policy(self) -> RetryPolicy:
        return RetryPolicy(self.wait_s, FIRST_PAUSE_S, self.longest_pause_s)

    def ask(
        self, request_reply: Callable[[], Reply], on_retry: Callable[[str], None]
    ) -> Reply:
        """Return what `request_reply` returns. After transient failures, call it again.

        `on_retry` gets a line about each further attempt. Raises:

        - `Abandoned` if the reply is no longer wanted
        - `LeftOpen` if the run has spent its budget
        - `RetriesExhausted` if the run has no retries left
        - the `ModelError` of the last attempt
          if it is permanent, or if the time is over
        """
        retries = _Retries(self, on_retry)
        while True:
            retries.wait_for_all_trials()
            try:
                reply = request_reply()
            except ModelError as error:
                if not error.retryable:
                    raise
                if not retries.prepare(error):
                    raise retries.last_error(error) from None
            else:
                self.budget.give_back()
                return reply


@dataclass(slots=True)
class _Retries:
    """The retries of one request to a model."""

    retry: ModelRetry
    on_retry: Callable[[str], None]
    started_at: float = field(default_factory=time.monotonic)
    attempts: int = 1
    bad_replies: int = 0
    """Attempts whose replies were malformed."""

    def wait_for_all_trials(self) -> None:
        """Wait until the pause that an endpoint asked of all trials is over.

        Raises `Abandoned` if the trial is told to stop meanwhile.
        """
        while True:
            remaining_s = self.retry.budget.paused_s()
            if remaining_s <= 0:
                return
            self._wait(remaining_s)
            if self.retry.stop.is_set():
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)

    def prepare(self, error: ModelError) -> bool:
        """Pause before the next attempt. Return False to give up instead.

        Raises `RetriesExhausted` if the run has no retries left.
        """
        if self.retry.stop.is_set():
            return False
        pause_s = self._pause_s(error)
        if pause_s is None:
            return False
        if isinstance(error, BadReply):
            self.bad_replies += 1
        if self.bad_replies >= MAX_BAD_REPLIES:
            return False

        self._use_retry(error)
        self.attempts += 1
        self.on_retry(f"{error}; asking again in {pause_s:.1f} s (try {self.attempts})")
        self._wait(pause_s)
        return not self.retry.stop.is_set()

    def _pause_s(self, error: ModelError) -> float | None:
        """Return the seconds to wait after an error; None if no time is left.

        If the endpoint asks for a pause, the other trials of the run pause, too. This trial
        waits a random time longer, so that not all ask at the same moment.
        """
        elapsed_s = time.monotonic() - self.started_at
        remaining_s = self.retry.wait_s - elapsed_s
        asked_s = named_pause_s(error)
        if asked_s is not None and remaining_s > 0:
            self.retry.budget.pause(asked_s)
            asked_s += random.uniform(0, MAX_SPREAD_S)
        return self.retry.policy.pause_s(self.attempts, remaining_s, asked_s)

    def _use_retry(self, error: ModelError) -> None:
        """Take a retry from the run's budget. Raises `RetriesExhausted`."""
        budget = self.retry.budget
        if not budget.use_retry():
            msg = (
                f"{error}; the run has used up its {budget.bound} retries "
                "(--model-retries)"
            )
            raise RetriesExhausted(msg, retryable=True, affects_all=True) from None

    def _wait(self, seconds: float) -> None:
        """Wait, at most until the trial is told to stop.

        Raises `LeftOpen`, which leaves the trial to be resumed, if the run's budget is spent.
        """
        spending = self.retry.spending
        was_stopped = self.retry.stop.wait(min(seconds, spending.seconds_left))
        if not was_stopped and spending.stop_reason:
            raise LeftOpen(spending.stop_reason)

    def last_error(self, error: ModelError) -> ModelError:
        """Return the error with which a step gives up after a transient failure.

        `affects_all` says if other trials would meet the same error.
        """
        if isinstance(error, RetriesExhausted):
            return error
        if self.retry.stop.is_set():
            return Abandoned(str(error))
        if self.bad_replies >= MAX_BAD_REPLIES:
            text = f"{error}; given up after {self.bad_replies} such replies"
            return ModelError(text, affects_all=error.affects_all)
        text = (
            f"{error}; given up at try {self.attempts}: a step waits "
            f"{self.retry.wait_s:g} s (--model-patience)"
        )
        return ModelError(text, retryable=True, affects_all=error.affects_all)
