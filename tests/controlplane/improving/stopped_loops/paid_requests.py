"""Stops a loop of `improve` in the middle, and counts the requests that it has paid for.

For example:

    stop_during_proposals(loop, signal.SIGKILL)
    paid_requests(loop).for_proposals    ->    3
"""

import signal
from dataclasses import dataclass

from tests.controlplane.improving.improve_command import (
    PLAYER,
    PROPOSER,
    improve_command,
)
from tests.controlplane.improving.riddle_loop import RiddleLoop
from tests.support.command import CommandResult, wait_for_exit, wait_until


def stop_during_proposals(
    loop: RiddleLoop, stop_signal: signal.Signals
) -> CommandResult:
    """Start a loop, send it a signal after its second proposal, and return how it ended."""
    process = loop.start_command(*improve_command())
    wait_until(lambda: len(loop.requests_to(PROPOSER)) > 1)
    process.send_signal(stop_signal)
    return wait_for_exit(process)


@dataclass(frozen=True)
class PaidRequests:
    """The requests of a loop to models, each of which is paid for, and what they led to."""

    for_trials: int
    """The number of requests to the model that plays. Each trial needs one."""
    ended_trials: int
    for_proposals: int
    """The number of requests to the model that proposes. Each proposal needs one."""
    proposals: int


def paid_requests(loop: RiddleLoop) -> PaidRequests:
    """Count the requests so far, of the loop and of the command that resumed it."""
    ended_trials = 0
    for journal in (loop.record.folder / "runs").glob("*.jsonl"):
        ended_trials += journal.read_bytes().count(b'"type":"trial_ended"')
    return PaidRequests(
        for_trials=len(loop.requests_to(PLAYER)),
        ended_trials=ended_trials,
        for_proposals=len(loop.requests_to(PROPOSER)),
        proposals=len(loop.record.proposals),
    )
