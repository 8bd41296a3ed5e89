"""How long and how often one kind of call of the platform is retried.

A call is "in doubt" if nobody knows whether the platform has carried it out: it was sent,
but its reply was lost. Then it is repeated only if that does no harm. Reading a file again
does none; placing an order again does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

from controlplane.agent.retry.retry_policy import RetryPolicy

NO_LIMIT: Final = 1_000_000
"""A number of attempts or repeats that no call reaches."""


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How long and how often one kind of call is retried."""

    deadline_s: float
    """The time limit of one attempt in seconds, including the body of the reply."""
    retry_s: float
    """The retry time: seconds after which a failure is final.

    Pauses that the server requests do not count.
    """
    ends_at: float = math.inf
    """The time, by `time.monotonic`, after which no attempt is made or waited for."""
    max_repeats_in_doubt: int = NO_LIMIT
    """How often the call is repeated although an earlier attempt may have taken effect.

    0 for a call that must not happen twice.
    """
    retries_foreign_replies: bool = True
    """True to retry after a reply that is not from the platform, such as a proxy's page.

    False for the first calls: if the platform has never replied, its address is probably
    wrong.
    """
    trusts_plain_503: bool = False
    """True to assume that a call had no effect after a 503 that may come from a proxy.

    The platform's own replies have a code such as `unavailable`; a plain 503 has none.
    Usually a proxy sends it instead of passing the call on. But some proxies have passed
    it on, so set this only for calls that may happen twice.
    """
    accepts_already_done: bool = False
    """True if a repeated call that is refused as "already done" counts as successful.

    Then an earlier attempt did the work, and only its reply was lost.
    """

    @property
    def pauses(self) -> RetryPolicy:
        """The time limit of the call and the pauses between its attempts."""
        return _retry_policy(self.retry_s)


@cache
def _retry_policy(retry_s: float) -> RetryPolicy:
    """Return the retry time with the pauses between attempts: from 0.2 up to 5 seconds."""
    return RetryPolicy(retry_s, first_pause_s=0.2, longest_pause_s=5.0)
