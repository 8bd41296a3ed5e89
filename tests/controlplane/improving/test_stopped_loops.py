"""Loops of `improve` that are interrupted or killed, and resumed.

A loop pays for each trial and for each proposal. Resuming it must pay only for what was under way when
it was stopped, and lead to the same result.
"""

import re
import signal
from dataclasses import dataclass

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.improving.improve_command import (
    PLAYER,
    PROPOSER,
    improve_command,
)
from tests.controlplane.improving.riddle_loop import OK, RiddleLoop
from tests.support.command import CommandResult, wait_for_exit, wait_until

pytestmark = pytest.mark.second_tier


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
    """The requests of a loop, each of which is paid for, beside what they led to."""

    for_trials: int
    ended_trials: int
    for_proposals: int
    proposals: int


def paid_requests(loop: RiddleLoop) -> PaidRequests:
    """Return the requests so far. Each trial, and each proposal, needs one."""
    ended_trials = 0
    for journal in (loop.record.folder / "runs").glob("*.jsonl"):
        ended_trials += journal.read_bytes().count(b'"type":"trial_ended"')
    return PaidRequests(
        for_trials=len(loop.requests_to(PLAYER)),
        ended_trials=ended_trials,
        for_proposals=len(loop.requests_to(PROPOSER)),
        proposals=len(loop.record.proposals),
    )


def test_a_killed_loop_is_resumed_and_pays_nothing_twice(loop: RiddleLoop) -> None:
    """A kill may leave the journal of the latest run empty. That run is played again."""
    stop_during_proposals(loop, signal.SIGKILL)
    journals = (loop.record.folder / "runs").glob("*.jsonl")
    latest_journal = max(journals, key=lambda path: path.stat().st_mtime)
    latest_journal.write_bytes(b"")

    resumed = wait_for_exit(loop.start_command("resume", "last", "--json"))

    assert resumed.code == OK, resumed.err
    assert resumed.json["is_better"] is True
    paid = paid_requests(loop)
    # The kill has cut off one proposal, or up to 8 trials, which are played at the same time.
    assert paid.for_trials <= paid.ended_trials + 8
    assert paid.for_proposals <= paid.proposals + 1


def test_an_interrupted_loop_is_resumed_and_pays_nothing_twice(
    loop: RiddleLoop,
) -> None:
    """Ctrl-C names the best candidate so far, and the command to continue with:

    best so far: 3fa9, on the check worlds; continue with: controlplane resume improve-1
    """
    interrupted = stop_during_proposals(loop, signal.SIGINT)

    assert interrupted.code == Interrupted.exit_code
    message = re.search(
        r"best so far: (?P<candidate>\w+), on the check worlds; "
        r"continue with: .* resume (?P<loop>\S+)",
        interrupted.err,
    )
    assert message, interrupted.err
    assert message["loop"] == loop.record.folder.name
    candidate_folder = loop.record.folder / "candidates" / message["candidate"]
    assert (candidate_folder / "hints.txt").is_file()

    resume = ["resume", message["loop"], "--json"]
    resumed = wait_for_exit(loop.start_command(*resume))

    assert resumed.code == OK, resumed.err
    assert resumed.json["is_better"] is True
    paid = paid_requests(loop)
    assert paid.for_trials <= paid.ended_trials + 8
    assert paid.for_proposals <= paid.proposals + 1
