"""The attempts of one call of the platform, and whether another one is allowed.

A policy says how long and how often a kind of call is retried; here is how far one call
has come. A call is "in doubt" if an attempt was sent and its reply was lost: it may have
been carried out.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.retry.retry_policy import named_pause_s
from controlplane.benchmarks.bitgn.client.calls.call_policy import NO_LIMIT, CallPolicy
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    ALREADY_CODES,
    Sender,
    WireError,
)
from controlplane.sandbox.interface import error_codes

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
