"""The pause before a failed call of the platform is repeated.

A server that is too busy may request a pause of 60 seconds. Otherwise the retry policy
chooses one, such as 0.4 seconds. The user is told about long ones.
"""

from __future__ import annotations

from controlplane.agent.retry.retried_call import FailedAttempt
from controlplane.agent.retry.retry_policy import named_pause_s
from controlplane.benchmarks.bitgn.client.calls.attempts import Attempts
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
)
from controlplane.sandbox.interface import bounds


def wait_before_repeat(
    client: PlatformClient, method: str, attempts: Attempts, failed: FailedAttempt
) -> bool:
    """Wait before the next attempt of a call, and add a requested pause to `attempts`.

    Return True if the wait was interrupted because the run is being stopped. Then the call
    must not be repeated.
    """
    requested_s = named_pause_s(failed.error)
    notice = _notice_of_long_pause(method, attempts, failed.error, requested_s)
    if notice:
        client.notice(notice)
    pause_s = failed.pause_s
    if requested_s is not None:
        pause_s = requested_s
        # Requested pauses have a limit of their own and do not use up the retry time.
        attempts.requested_pauses_s += requested_s
    return client.wait(pause_s)


def _notice_of_long_pause(
    method: str, attempts: Attempts, error: Exception, requested_s: float | None
) -> str:
    """Return what to tell the user about a long pause, or a call that fails for long.

    Empty if neither is long.
    """
    if requested_s is not None and requested_s >= bounds.NOTICE_AFTER_S:
        return f"the platform asks to wait {requested_s:.0f} s with {method}"
    failing_s = attempts.failing_s
    if failing_s >= bounds.NOTICE_AFTER_S:
        return (
            f"{method} has been failing for {failing_s:.0f} s "
            f"and is retried for {attempts.policy.retry_s:g} s: {error}"
        )
    return ""
