"""The retries of one request to a model: how long to pause, and when to give up.

A request is repeated until the time for it is over (`--model-patience`), or until it got a few
malformed replies. Each retry is also taken from a number that all trials of the run share
(`--model-retries`).
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.model import BadReply, ModelError, RetriesExhausted
from controlplane.agent.retry.retry_policy import RetryPolicy, named_pause_s
from controlplane.agent.retry.run_budget import RetryBudget

MAX_BAD_REPLIES: Final = 5
"""A step gives up after this many malformed replies."""
MAX_SPREAD_S: Final = 0.5
"""Max random seconds added to a pause that the endpoint
asks for, so that the trials do not all ask again at once."""


@dataclass(slots=True)
class RequestRetries:
    """Counts the attempts of one request to a model, and decides whether another one follows.

    plan_next_attempt(ModelError("busy"))                    -> 0.3 (a random pause in seconds)
    plan_next_attempt(ModelError("busy", retry_after_s=20))  -> 20.4, and no trial asks for 20 s
    plan_next_attempt(ModelError("busy")), after 300 s       -> None; then `last_error` says why
    """

    policy: RetryPolicy
    """How long the pauses are, and for how long a request is repeated (`limit_s`)."""
    budget: RetryBudget
    """The retries, and the pauses that endpoints ask for. All trials of the run share both."""
    started_at: float = field(default_factory=time.monotonic)
    """The moment of the first attempt."""
    attempts: int = 1
    """The number of the current attempt, from 1."""
    bad_replies: int = 0
    """Attempts that returned a malformed reply."""

    def plan_next_attempt(self, error: ModelError) -> float | None:
        """Count one more attempt, and return the seconds to wait before it; None to give up.

        Takes the retry from those of the run. Raises `RetriesExhausted` if it has none left.
        """
        elapsed_s = time.monotonic() - self.started_at
        remaining_s = self.policy.limit_s - elapsed_s
        asked_pause_s = named_pause_s(error)  # by the endpoint
        if asked_pause_s is not None and remaining_s > 0:
            self.budget.pause(asked_pause_s)  # for all trials of the run
            # This trial waits a little longer, so that not all ask again at the same moment.
            asked_pause_s += random.uniform(0, MAX_SPREAD_S)

        pause_s = self.policy.pause_s(self.attempts, remaining_s, asked_pause_s)
        if pause_s is None:
            return None  # Too little time is left.
        if isinstance(error, BadReply):
            self.bad_replies += 1
        if self.bad_replies >= MAX_BAD_REPLIES:
            return None  # The model does not get better.
        if not self.budget.use_retry():
            raise self._exhausted(error)
        self.attempts += 1
        return pause_s

    def last_error(self, error: ModelError) -> ModelError:
        """Return the error of a request that is given up: the last one, with the reason added.

        `busy; given up at try 7: a step waits 300 s (--model-patience)`
        """
        if isinstance(error, RetriesExhausted):
            return error  # It has its reason: a model that retries by itself adds it.
        if self.bad_replies >= MAX_BAD_REPLIES:
            text = f"{error}; given up after {self.bad_replies} such replies"
            return ModelError(text, affects_all=error.affects_all)
        text = (
            f"{error}; given up at try {self.attempts}: a step waits "
            f"{self.policy.limit_s:g} s (--model-patience)"
        )
        return ModelError(text, retryable=True, affects_all=error.affects_all)

    def _exhausted(self, error: ModelError) -> RetriesExhausted:
        """Return the error of a trial whose run has no retries left."""
        text = (
            f"{error}; the run has used up its {self.budget.max_retries} retries "
            "(--model-retries)"
        )
        return RetriesExhausted(text, retryable=True, affects_all=True)
