"""Finds out whether a run is submitted, or a trial ended, after a call has failed.

The call may have done its work although it failed: its reply was lost, and a repeated call is
refused as "already done". So the platform is asked for the present state:

    SubmitRun failed: the connection was lost    -> GetRun says `RUN_STATE_EVALUATED`: True
    EndTrial failed: "the trial has ended"       -> GetTrial says `TRIAL_STATE_DONE`: True
    EndTrial failed: "there is no such trial"    -> False, without a question
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
    """Return True if a run is submitted. `error` is that of the call that should submit it."""

    def ask(policy: CallPolicy) -> bool:
        return harness.run(run_id, policy).is_submitted

    return _ask_after_failure(ask, harness, error)


def has_ended(harness: Harness, trial_id: str, error: WireError) -> bool:
    """Return True if a trial has ended. `error` is that of a call about this trial."""

    def ask(policy: CallPolicy) -> bool:
        return harness.trial(trial_id, policy).has_ended

    return _ask_after_failure(ask, harness, error)


def _ask_after_failure(
    ask: Callable[[CallPolicy], bool], harness: Harness, error: WireError
) -> bool:
    """Ask the platform, unless the error shows that the failed call had no effect.

    `ask` makes the call that finds out, and raises `WireError` if that fails.
    """
    if error.code in ALREADY_CODES:
        # Refused as already done: the platform replies, so asking is worth some patience.
        return ask(harness.patient)
    if error.transient and not harness.is_stopping:
        # The platform has failed for long, so ask only shortly. If that fails, too, the
        # caller raises `error`, and a second one would say no more.
        with suppress(WireError):
            return ask(harness.impatient)
    return False  # Any other error means that there was no effect.
