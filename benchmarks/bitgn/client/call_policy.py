"""How long and how often a call of the platform is made.

A call is "in doubt" if nobody knows whether the platform has carried it out: it was sent,
but its reply was lost. Then it is repeated only if that does no harm. Reading a file again
does none; placing an order again does.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from controlplane.agent.retry.retry_policy import RetryPolicy, named_pause_s
from controlplane.benchmarks.bitgn.client.wire_errors import (
    ALREADY_CODES,
    Sender,
    WireError,
)
from controlplane.sandbox.interface import error_codes

NO_LIMIT: Final = 1_000_000
"""A number of attempts or repeats that no call reaches."""
MAX_ATTEMPTS: Final = {
    error_codes.INTERNAL: 3,  # A fault of the server: it may occur again and again.
    error_codes.CANCELED: 3,  # The server gave the call up.
    # Too many calls in a trial. This limit does not apply if the server requests a pause.
    error_codes.RESOURCE_EXHAUSTED: 6,
}
"""The most attempts of a call that fails with this code.

Other transient failures are retried until the time is over.
"""
MAX_REQUESTED_PAUSES_S: Final = 300.0
"""The longest total time that one call waits because the server requested it."""


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
    return RetryPolicy(retry_s, first_pause_s=0.2, longest_pause_s=5.0)


@dataclass(slots=True)
class Attempts:
    """The attempts of one call so far, and whether another one is allowed."""

    policy: CallPolicy
    failures: int = 0
    """The number of attempts that failed."""
    lost_replies: int = 0
    """The number of attempts whose effect was unknown when they failed.

    An attempt still counts if the caller finds out later that it had no effect.
    """
    is_in_doubt: bool = False
    """True while it is unknown if an attempt took effect. The caller may find out and reset it."""
    requested_pauses_s: float = 0.0
    """The total of the pauses that the server requested. They do not count as retry time."""
    _began_at: float = field(default_factory=time.monotonic)

    @property
    def failing_s(self) -> float:
        """The seconds since the first attempt, without requested pauses."""
        return time.monotonic() - self._began_at - self.requested_pauses_s

    def record_failure(self, error: WireError) -> None:
        """Count a failed attempt.

        After a plain 503, set `error.in_doubt` to False if the policy trusts that the call
        had no effect.
        """
        self.failures += 1
        if error.sender is Sender.PERHAPS_A_PROXY and self.policy.trusts_plain_503:
            error.in_doubt = False
        if error.in_doubt:
            self.lost_replies += 1
            self.is_in_doubt = True

    def shows_earlier_success(self, error: WireError) -> bool:
        """Return True if a refusal as "already done" means that an earlier attempt did it.

        Without a lost reply, somebody else did it.
        """
        if not self.policy.accepts_already_done:
            return False
        return self.lost_replies > 0 and error.code in ALREADY_CODES

    def allow_another(self, error: WireError) -> bool:
        """Return True if the policy allows another attempt after an error."""
        policy = self.policy
        if not error.transient:
            return False
        is_from_another_site = error.sender is Sender.ANOTHER_SITE
        if is_from_another_site and not policy.retries_foreign_replies:
            return False
        if error.in_doubt and self.lost_replies > policy.max_repeats_in_doubt:
            return False
        remaining_s = policy.ends_at - time.monotonic()
        if remaining_s <= 0:
            return False
        pause_s = error.retry_after_s
        if pause_s is None:
            return self.failures < MAX_ATTEMPTS.get(error.code, NO_LIMIT)
        # The server controls how often the call is made, so only the time is limited.
        remaining_pauses_s = MAX_REQUESTED_PAUSES_S - self.requested_pauses_s
        return pause_s <= min(remaining_s, remaining_pauses_s)


def charged_pause_s(error: Exception) -> float | None:
    """Return how much of a pause requested by the server is charged to the retry time: nothing.

    So the result is 0.0 if a pause was requested. If none was, it is None: then the retry
    policy chooses a pause, which is charged.
    """
    if named_pause_s(error) is None:
        return None
    return 0.0
