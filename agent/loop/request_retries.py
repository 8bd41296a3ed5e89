"""The retries of one request to a model: how long to pause, and when to give up.

A step gives up when its patience is over (`--model-patience`), or after a few malformed
replies. Each retry takes one from the run's number (`--model-retries`).
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
    """Counts the attempts of one request, and decides whether another one follows."""

    policy: RetryPolicy
    """How long the pauses are, and for how long the step waits for its model."""
    budget: RetryBudget
    """The retries that all trials of the run share."""
    started_at: float = field(default_factory=time.monotonic)
    attempts: int = 1
    """The number of the current attempt, from 1."""
    bad_replies: int = 0
    """Attempts whose replies were malformed."""

    def pause_after(self, error: ModelError) -> float | None:
        """Return the seconds to wait before the next attempt; None to give up.

        Counts the next attempt, and takes its retry from the run's budget. Raises
        `RetriesExhausted` if the run has no retries left.
        """
        # If the endpoint asks for a pause, all trials keep it, even if this one gives up.
        pause_s = self._pause_s(error)
        if pause_s is None:
            return None
        if isinstance(error, BadReply):
            self.bad_replies += 1
        if self.bad_replies >= MAX_BAD_REPLIES:
            return None
        if not self.budget.use_retry():
            raise retries_exhausted(error, self.budget) from None
        self.attempts += 1
        return pause_s

    def _pause_s(self, error: ModelError) -> float | None:
        """Return the seconds to wait after an error; None if no time is left.

        If the endpoint asks for a pause, the other trials of the run pause, too. This trial
        waits a random time longer, so that not all ask at the same moment.
        """
        elapsed_s = time.monotonic() - self.started_at
        remaining_s = self.policy.limit_s - elapsed_s
        asked_pause_s = named_pause_s(error)  # None if the endpoint asks for none.
        if asked_pause_s is not None and remaining_s > 0:
            self.budget.pause(asked_pause_s)
            asked_pause_s += random.uniform(0, MAX_SPREAD_S)
        return self.policy.pause_s(self.attempts, remaining_s, asked_pause_s)

    def last_error(self, error: ModelError) -> ModelError:
        """Return the error with which a step gives up after a transient failure.

        `affects_all` says if other trials would meet the same error.
        """
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
    text = f"{error}; the run has used up its {budget.bound} retries (--model-retries)"
    return RetriesExhausted(text, retryable=True, affects_all=True)
