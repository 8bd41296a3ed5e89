"""Decides whether a request to a model that failed is sent again, and after which pause.

With a patience of 300 s (`--model-patience`), and 1,000 retries for the whole run:

    plan_retry(ModelError("busy"))                     -> 0.3: pause 0.3 s, then try again
    plan_retry(ModelError("busy", retry_after_s=20))   -> 20.4; all other trials pause, too
    plan_retry(ModelError("busy")), after 300 s        raises "busy; given up at try 3: ..."
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
"""Max random seconds added to a pause that the endpoint names."""


@dataclass(slots=True)
class RequestRetries:
    """The retries of one request."""

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
        """Count a try that failed, and return the seconds to pause before the next one.

        If there is no next try, raise an error that has the text of `error`, and the reason.
        """
        remaining_s = self.policy.limit_s - (time.monotonic() - self.began_at)

        # 1. The endpoint may name a pause. It holds for all trials, even if this one gives up.
        asked_s = named_pause_s(error)
        if asked_s is not None and remaining_s > 0:
            self.run_retries.pause(asked_s)
            # After the same pause, all would return at the same moment.
            asked_s += random.uniform(0, MAX_SPREAD_S)

        # 2. The pause has to end before the time of the request does, or there is none.
        pause_s = self.policy.pause_s(self.tries, remaining_s, asked_s)
        if pause_s is None:
            raise no_time_left(error, self.tries, self.policy.limit_s)

        # 3. A model that has replied with nonsense a few times will hardly do better.
        if isinstance(error, BadReply):
            self.bad_replies += 1
            if self.bad_replies >= MAX_BAD_REPLIES:
                raise too_many_bad_replies(error, self.bad_replies)

        # 4. The next try is one of those that all trials of the run share.
        if not self.run_retries.use_retry():
            raise no_retries_left(error, self.run_retries.max_retries)
        self.tries += 1
        return pause_s
