"""Decides whether a request to a model that failed is sent again, and after which pause.

A request ends if its time is over (`--model-patience`), or if it got a few malformed replies.
Each retry is also one of those that all trials of the run share (`--model-retries`).

| the try failed with | `plan_retry` |
|---|---|
| "busy" | returns 0.3: pause so many seconds, and try again |
| "busy", and the endpoint asks for 20 s | returns 20.4, and pauses all trials for 20 s |
| "busy", but the time is over | raises "busy; given up at try 3: ..." |
| "busy", but no retry is left | raises "busy; the run has used up ..." |
| "no JSON", for the fifth time | raises "no JSON; given up after 5 such replies" |
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.loop.given_up_request import (
    no_retries_left,
    no_time_left,
    too_many_bad_replies,
)
from controlplane.agent.model import BadReply, ModelError
from controlplane.agent.retry.retry_policy import RetryPolicy, named_pause_s
from controlplane.agent.retry.run_budget import RetryBudget

MAX_BAD_REPLIES: Final = 5
"""A request ends after this many malformed replies."""
MAX_SPREAD_S: Final = 0.5
"""Max random seconds added to a pause that the endpoint asks for, so that the trials do not
all ask again at once."""


@dataclass(slots=True)
class RequestRetries:
    """The retries of one request. After each failed try, call `plan_retry` with its error."""

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
        own_pause_s = None  # the pause of this trial, if the endpoint asks for one
        shared_pause_s = named_pause_s(error)
        if remaining_s > 0 and shared_pause_s is not None:
            self.run_retries.pause(shared_pause_s)
            own_pause_s = shared_pause_s + random.uniform(0, MAX_SPREAD_S)
        pause_s = self.policy.pause_s(self.tries, remaining_s, own_pause_s)
        if pause_s is None:
            raise no_time_left(error, self.tries, self.policy.limit_s) from None

        if isinstance(error, BadReply):
            self.bad_replies += 1
            if self.bad_replies >= MAX_BAD_REPLIES:
                raise too_many_bad_replies(error, self.bad_replies) from None
        if not self.run_retries.use_retry():
            raise no_retries_left(error, self.run_retries.max_retries)
        self.tries += 1
        return pause_s
