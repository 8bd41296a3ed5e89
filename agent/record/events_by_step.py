"""Events that are shown with the steps of a trial, by the number of the step.

`{3: [CallStopped(...)]}`: in step 3, a check stopped one call. Pages and tables show it beside
the summary of the step, which does not have it.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import CallApproval, CallStopped
from controlplane.agent.record.trial_step import TrialStep


def stopped_by_step(steps: Iterable[TrialStep]) -> dict[int, list[CallStopped]]:
    """Return the calls that a check stopped before they were sent, one event for each.

    Such a call may have a second event, whose field `then` says what happened to the call
    later: `repeated and sent`. This event is left out.
    """
    stopped: dict[int, list[CallStopped]] = {}
    for step in steps:
        first_events = [event for event in step.stopped if not event.is_outcome]
        if first_events:
            stopped[step.number] = first_events
    return stopped


def approvals_by_step(steps: Iterable[TrialStep]) -> dict[int, list[CallApproval]]:
    """Return the user's decisions about calls, in order."""
    return {step.number: step.approvals for step in steps if step.approvals}


def peak_memory_by_step(steps: Iterable[TrialStep]) -> dict[int, int]:
    """Return the peak memory of the script's process in bytes, if known."""
    peaks: dict[int, int] = {}
    for step in steps:
        if step.measured is not None:
            peaks[step.number] = step.measured.peak_memory_bytes
    return peaks
