"""A loop of `improve` that was killed is resumed, and pays again only for what the kill has lost.

A loop pays for each trial (one request to a model), and for each proposal of better hints (one request to
another model). It plays trials in runs, and each run records its trials in a journal.
"""

import re
import signal
from dataclasses import dataclass

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.improving.riddle_models import (
    PLAYER,
    PROPOSER,
    RiddleLoop,
    improve_command,
)
from tests.support.command import CommandResult, wait_for_exit, wait_until

# Stops a loop of `improve` in the middle, and counts the requests that it has paid for.
#
# For example:
#
#     stop_during_proposals(loop, signal.SIGKILL)
#     paid_requests(loop).for_proposals    ->    3


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


# A loop of `improve` that Ctrl-C has interrupted is resumed, and pays for no finished part again.
#
# When it is interrupted, the loop names its best candidate so far, and the command to continue with:
#
#     best so far: 3fa9, on the check worlds; continue with: controlplane resume improve-1

interrupted_loops_pytestmark = pytest.mark.second_tier


def test_an_interrupted_loop_is_resumed_and_pays_for_no_finished_part_again(
    loop: RiddleLoop,
) -> None:
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

    assert resumed.code == 0, resumed.err
    assert resumed.json["is_better"] is True
    # Only what was under way at the interrupt is paid for again: 8 trials, or one proposal.
    paid = paid_requests(loop)
    assert paid.for_trials <= paid.ended_trials + 8
    assert paid.for_proposals <= paid.proposals + 1


pytestmark = pytest.mark.second_tier


def test_a_killed_loop_is_resumed_and_pays_again_only_for_what_is_lost(
    loop: RiddleLoop,
) -> None:
    """A kill may lose the latest run, and leave an empty journal. The test empties the journal."""
    stop_during_proposals(loop, signal.SIGKILL)
    journals = (loop.record.folder / "runs").glob("*.jsonl")
    latest_journal = max(journals, key=lambda path: path.stat().st_mtime)
    latest_journal.write_bytes(b"")
    paid_before = paid_requests(loop)
    lost_trials = paid_before.for_trials - paid_before.ended_trials

    resumed = wait_for_exit(loop.start_command("resume", "last", "--json"))

    assert resumed.code == 0, resumed.err
    assert resumed.json["is_better"] is True
    paid = paid_requests(loop)
    # `ended_trials` counts each trial once, in its journal. The lost ones were paid for twice.
    assert lost_trials <= 8
    assert paid.for_trials <= paid.ended_trials + lost_trials
    cut_off_proposals = 1
    assert paid.for_proposals <= paid.proposals + cut_off_proposals
