"""A loop of `improve` that was killed is resumed, and pays again only for what the kill has lost.

A loop pays for each trial (one request to a model), and for each proposal of better hints (one request to
another model). It plays trials in runs, and each run records its trials in a journal.
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
