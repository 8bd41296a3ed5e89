"""Decides whether a request to a model that failed is sent again, and after which pause.

A request ends if its time is over (`--model-patience`), or if it got a few malformed replies.
Each retry is also one of those that all trials of the run share (`--model-retries`).
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
"""A request ends after this many malformed replies."""
MAX_SPREAD_S: Final = 0.5
"""Max random seconds added to a pause that the endpoint
asks for, so that the trials do not all ask again at once."""


@dataclass(slots=True)
class RequestRetries:
    """The retries of one request. After each failed try, call `plan_retry` with its error.

    | the try failed with | `plan_retry` |
    |---|---|
    | "busy" | returns 0.3: pause so many seconds, and try again |
    | "busy", and the endpoint asks for 20 s | returns 20.4, and pauses all trials for 20 s |
    | "busy", but the time is over | raises "busy; given up at try 7: a step waits 300 s ..." |
    | "no JSON", for the fifth time | raises "no JSON; given up after 5 such replies" |
    | "busy", but no retry is left | raises "busy; the run has used up its 1000 retries ..." |
    """

    policy: RetryPolicy
    """How long the pauses are, and how many seconds the request may take (`limit_s`)."""
    run_retries: RetryBudget
    """The retries that all trials of the run share, and the pause that holds for all."""
    began_at: float = field(default_factory=time.monotonic)
    """The moment at which the request began."""
    tries: int = 1
    """The number of the current try, from 1."""
    bad_replies: int = 0
    """Tries that got a malformed reply."""

    def plan_retry(self, error: ModelError) -> float:
        """Return the seconds to pause before the next try, which then counts.

        If there is no next try, raise an error that has the text of `error`, and the reason.
        """
        remaining_s = self.policy.limit_s - (time.monotonic() - self.began_at)
        asked_s = None
        if remaining_s > 0:
            asked_s = self._pause_all_trials(error)
        pause_s = self.policy.pause_s(self.tries, remaining_s, asked_s)
        if pause_s is None:
            raise self._time_is_over(error) from None

        self._count_bad_reply(error)
        self._use_retry(error)
        self.tries += 1
        return pause_s

    def _pause_all_trials(self, error: ModelError) -> float | None:
        """Pause all trials of the run if the endpoint asks for it.

        Return for how many seconds this trial pauses; None if the endpoint asks for no pause.
        """
        asked_s = named_pause_s(error)
        if asked_s is None:
            return None
        self.run_retries.pause(asked_s)
        return asked_s + random.uniform(0, MAX_SPREAD_S)

    def _time_is_over(self, error: ModelError) -> ModelError:
        """Return the error of a request that has no time for another try."""
        if isinstance(error, RetriesExhausted):
            return error  # It says already why no more is tried: no retries are left.
        text = (
            f"{error}; given up at try {self.tries}: a step waits "
            f"{self.policy.limit_s:g} s (--model-patience)"
        )
        return ModelError(text, retryable=True, affects_all=error.affects_all)

    def _count_bad_reply(self, error: ModelError) -> None:
        """Count a reply that was malformed. Raises `ModelError` after too many of them."""
        if not isinstance(error, BadReply):
            return
        self.bad_replies += 1
        if self.bad_replies >= MAX_BAD_REPLIES:
            text = f"{error}; given up after {self.bad_replies} such replies"
            raise ModelError(text, affects_all=error.affects_all) from None

    def _use_retry(self, error: ModelError) -> None:
        """Take a retry from those of the run. Raises `RetriesExhausted` if none is left."""
        if not self.run_retries.use_retry():
            count = self.run_retries.max_retries
            text = f"{error}; the run has used up its {count} retries (--model-retries)"
            raise RetriesExhausted(text, retryable=True, affects_all=True)
