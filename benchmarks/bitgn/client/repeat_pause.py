"""The pause before a failed call of the platform is repeated."""

from __future__ import annotations

from controlplane.agent.retry.retry_policy import FailedAttempt, named_pause_s
from controlplane.benchmarks.bitgn.client.call_policy import Attempts
from controlplane.benchmarks.bitgn.client.platform_client import PlatformClient
from controlplane.sandbox.interface import bounds


def wait_before_repeat(
    client: PlatformClient, method: str, attempts: Attempts, failed: FailedAttempt
) -> bool:
    """Wait before the next attempt. Return True if the client stops waiting.

    The pause is the one that the server requested, or else the random one of the retry
    policy.
    """
    requested_s = named_pause_s(failed.error)
    notice = _notice_of_long_pause(method, attempts, failed.error)
    if notice:
        client.notice(notice)
    if requested_s is None:
        return client.wait(failed.pause_s)
    attempts.pauses_s += requested_s
    return client.wait(requested_s)


def _notice_of_long_pause(method: str, attempts: Attempts, error: Exception) -> str:
    """Return what to tell the user about a long pause, or a call that fails for long.

    Empty if neither is long.
    """
    requested_s = named_pause_s(error)
    if requested_s is not None and requested_s >= bounds.NOTICE_AFTER_S:
        return f"the platform asks to wait {requested_s:.0f} s with {method}"
    failing_s = attempts.failing_s
    if failing_s >= bounds.NOTICE_AFTER_S:
        return (
            f"{method} has been failing for {failing_s:.0f} s "
            f"and is retried for {attempts.policy.retry_s:g} s: {error}"
        )
    return ""
