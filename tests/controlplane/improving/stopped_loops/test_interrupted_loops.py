"""A loop of `improve` that Ctrl-C has interrupted is resumed, and pays for no finished part again.

When it is interrupted, the loop names its best candidate so far, and the command to continue with:

    best so far: 3fa9, on the check worlds; continue with: controlplane resume improve-1
"""

import re
import signal

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.improving.riddle_loop import RiddleLoop
from tests.controlplane.improving.stopped_loops.paid_requests import (
    paid_requests,
    stop_during_proposals,
)
from tests.support.command import wait_for_exit

pytestmark = pytest.mark.second_tier


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
