"""The attempts of one call of the platform so far, and the pause before the next one.

    refused as `unavailable`                    -> a short random pause, such as 0.4 s
    refused as busy, with `retry-after: 60`     -> 60 s, as the server requests
    refused as `not_found`                      -> no pause: the call is not repeated

A call is "in doubt" if its reply was lost: it may have been carried out.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.retry.retry_policy import RetryPolicy, named_pause_s
from controlplane.benchmarks.bitgn.client.calls.call_policy import NO_LIMIT, CallPolicy
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    ALREADY_CODES,
    Sender,
    WireError,
)
from controlplane.sandbox.interface import error_codes

MAX_FAILURES: Final = {
    error_codes.INTERNAL: 3,  # A fault of the server: it may occur again and again.
    error_codes.CANCELED: 3,  # The server gave the call up.
    error_codes.RESOURCE_EXHAUSTED: 6,  # Too many calls in a trial.
}
"""The number of failures after which a call is not repeated, by the code of the last one.

After other codes, and if the server requests a pause, only the time is limited.
"""
FIRST_PAUSE_S: Final = 0.2
"""The longest random pause after the first attempt. It doubles with each further attempt."""
LONGEST_PAUSE_S: Final = 5.0
MAX_REQUESTED_PAUSES_S: Final = 300.0
"""The longest total time that one call waits because the server requested it."""


@dataclass(frozen=True, slots=True)
class RepeatPause:
    """The pause before a call is repeated."""

    seconds: float
    is_requested: bool
    """True if the server requested it. Such a pause does not use up the retry time."""


@dataclass(slots=True)
class Attempts:
    """The attempts of one call so far.

    `begin` starts the retry time, when the caller begins to wait for the result. The call counts
    each attempt. After a failure it calls `record_failure`, and then `pause_after`, which decides
    whether the call is repeated.

    A caller may wait again after an error. Then `begin` starts a new retry time, but the failures
    and the requested pauses still count.
    """

    policy: CallPolicy
    count: int = 0
    """The number of attempts since `begin`, including the present one."""
    failures: int = 0
    """The number of requests that failed.

    An attempt that first looks whether an earlier one took effect, and fails at that, sends
    no request.
    """
    lost_replies: int = 0
    """The number of failures that left open whether the call took effect."""
    is_in_doubt: bool = False
    """True from a lost reply until it is found out that the call had no effect."""
    requested_pauses_s: float = 0.0
    """The total of the pauses that the server requested."""
    _began_at: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        """Start the retry time."""
        self.count = 0
        self._began_at = time.monotonic()

    def record_failure(self, error: WireError) -> None:
        """Count a request that failed.

        If the policy trusts that a plain 503 has no effect, `error.in_doubt` becomes False.
        """
        self.failures += 1
        if error.sender is Sender.PERHAPS_A_PROXY and self.policy.trusts_plain_503:
            error.in_doubt = False
        if error.in_doubt:
            self.lost_replies += 1
            self.is_in_doubt = True

    def shows_earlier_success(self, error: WireError) -> bool:
        """Return True if the call is refused as "already done" because an attempt did it.

        If no reply was lost, somebody else did it.
        """
        if not self.policy.accepts_already_done:
            return False
        return self.lost_replies > 0 and error.code in ALREADY_CODES

    def pause_after(self, error: WireError) -> RepeatPause | None:
        """Return the pause before the next attempt; None if the call must not be repeated."""
        if not self._may_repeat_after(error) or not self._is_within_limits(error):
            return None
        used_s = time.monotonic() - self._began_at - self.requested_pauses_s
        remaining_s = self.policy.retry_s - used_s
        if remaining_s <= 0:
            return None

        requested_s = named_pause_s(error)
        if requested_s is not None:
            return RepeatPause(requested_s, is_requested=True)
        pauses = RetryPolicy(self.policy.retry_s, FIRST_PAUSE_S, LONGEST_PAUSE_S)
        random_s = pauses.backoff_s(self.count)
        return RepeatPause(min(random_s, remaining_s), is_requested=False)

    def _may_repeat_after(self, error: WireError) -> bool:
        """Return True if the policy allows another attempt after this kind of error."""
        policy = self.policy
        if not error.transient:
            return False
        is_foreign = error.sender is Sender.ANOTHER_SITE
        if is_foreign and not policy.retries_foreign_replies:
            return False
        return not error.in_doubt or self.lost_replies <= policy.max_repeats_in_doubt

    def _is_within_limits(self, error: WireError) -> bool:
        """Return True unless the call has failed too often, or would wait for too long."""
        remaining_s = self.policy.ends_at - time.monotonic()
        if remaining_s <= 0:
            return False
        requested_s = error.retry_after_s
        if requested_s is None:
            return self.failures < MAX_FAILURES.get(error.code, NO_LIMIT)
        remaining_pauses_s = MAX_REQUESTED_PAUSES_S - self.requested_pauses_s
        return requested_s <= min(remaining_s, remaining_pauses_s)
