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

    For example, an endpoint is busy, and asks to wait 20 seconds. Then no trial asks it for
    20 seconds, and `pause_after` returns a few tenths of a second more for this trial.
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

    def pause_after(self, error: ModelError) -> float | None:
        """Return the seconds to wait before the next attempt; None to give up.

        Also counts the next attempt, and takes its retry from the run's. Raises
        `RetriesExhausted` if the run has no retries left.
        """
        elapsed_s = time.monotonic() - self.started_at
        remaining_s = self.policy.limit_s - elapsed_s
        asked_pause_s = self._asked_pause_s(error, remaining_s)
        pause_s = self.policy.pause_s(self.attempts, remaining_s, asked_pause_s)
        if pause_s is None:
            return None  # Too little time is left.

        if isinstance(error, BadReply):
            self.bad_replies += 1
        if self.bad_replies >= MAX_BAD_REPLIES:
            return None  # The model does not get better.

        if not self.budget.use_retry():
            raise retries_exhausted(error, self.budget)
        self.attempts += 1
        return pause_s

    def _asked_pause_s(self, error: ModelError, remaining_s: float) -> float | None:
        """Return the pause that the endpoint asks for; None if it asks for none.

        All trials of the run keep this pause. After it, this trial waits a random time longer,
        so that not all of them ask again at the same moment.
        """
        asked_pause_s = named_pause_s(error)
        if asked_pause_s is None or remaining_s <= 0:
            return asked_pause_s
        self.budget.pause(asked_pause_s)
        return asked_pause_s + random.uniform(0, MAX_SPREAD_S)

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


def retries_exhausted(error: ModelError, budget: RetryBudget) -> RetriesExhausted:
    """Return the error of a trial whose run has no retries left."""
    text = f"{error}; the run has used up its {budget.max_retries} retries (--model-retries)"
    return RetriesExhausted(text, retryable=True, affects_all=True)
