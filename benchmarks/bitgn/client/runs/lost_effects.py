"""Finds out if a call about a run or trial took effect although it failed.

Its reply may have been lost, or an earlier attempt may have done what the platform now
refuses as done. So the platform is asked for the present state.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    ALREADY_CODES,
    WireError,
)
from controlplane.benchmarks.bitgn.client.runs.harness import Harness


def is_submitted(harness: Harness, run_id: str, error: WireError) -> bool:
    """Return True if a run is submitted although SubmitRun failed."""

    def ask(policy: CallPolicy) -> bool:
        return harness.run(run_id, policy).is_submitted

    return _has_happened(harness, error, ask)


def has_ended(harness: Harness, trial_id: str, error: WireError) -> bool:
    """Return True if a trial has ended, which may be why a call failed."""

    def ask(policy: CallPolicy) -> bool:
        return harness.trial(trial_id, policy).has_ended

    return _has_happened(harness, error, ask)


def _has_happened(
    harness: Harness, error: WireError, ask: Callable[[CallPolicy], bool]
) -> bool:
    """Return True if a call has taken effect although it failed, by asking the platform.

    `ask` makes the call that finds out. A permanent error other than "already done"
    means that there was no effect, so the platform is not asked.
    """
    if error.code in ALREADY_CODES:
        # The platform replies, so it can be asked for long. Its error is the caller's.
        return ask(harness.patient)
    if error.transient and not harness.is_stopping:
        # The platform has failed for long, so try only shortly. The caller has `error`, and
        # another one would say no more.
        with suppress(WireError):
            return ask(harness.impatient)
    return False
