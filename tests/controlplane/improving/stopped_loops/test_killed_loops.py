"""A loop of `improve` that was killed is resumed, and pays nothing twice.

A loop pays for each trial and for each proposal. Resuming it must pay only for what was under way when
it was killed, and lead to the same result.
"""

import signal

import pytest

from tests.controlplane.improving.riddle_loop import RiddleLoop
from tests.controlplane.improving.stopped_loops.paid_requests import (
    paid_requests,
    stop_during_proposals,
)
from tests.support.command import wait_for_exit

pytestmark = pytest.mark.second_tier


def test_a_killed_loop_is_resumed_and_pays_nothing_twice(loop: RiddleLoop) -> None:
    """A kill may leave the journal of the latest run empty. That run is played again."""
    stop_during_proposals(loop, signal.SIGKILL)
    journals = (loop.record.folder / "runs").glob("*.jsonl")
    latest_journal = max(journals, key=lambda path: path.stat().st_mtime)
    latest_journal.write_bytes(b"")

    resumed = wait_for_exit(loop.start_command("resume", "last", "--json"))

    assert resumed.code == 0, resumed.err
    assert resumed.json["is_better"] is True
    paid = paid_requests(loop)
    # The kill has cut off one proposal, or up to 8 trials, which are played at the same time.
    assert paid.for_trials <= paid.ended_trials + 8
    assert paid.for_proposals <= paid.proposals + 1
