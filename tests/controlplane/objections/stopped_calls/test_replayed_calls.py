"""A call that a check stopped is replayed as it was recorded.

The script of the model sees the stopped call as the error `failed_precondition`, in a replay, too.
"""

from pathlib import Path

import pytest

from tests.controlplane.objections.stopped_calls.basket_runs import TASK, run_checkouts
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    "checkouts",
    [
        pytest.param({"attempts": 1}, id="the model gives up"),
        pytest.param({"attempts": 2}, id="makes the call again"),
        pytest.param(
            {"attempts": 1, "then_other_basket": True}, id="makes another call"
        ),
    ],
)
def test_a_stopped_call_is_replayed_as_recorded(
    checkouts: dict[str, int], tmp_path: Path
) -> None:
    run_checkouts(tmp_path, **checkouts)

    verified = run_in_process("replay", "tried", "--verify", cwd=tmp_path)
    replay = run_in_process(
        "replay", "tried", "--trial", TASK, cwd=tmp_path, COLUMNS="300"
    )

    assert "everything is as recorded" in verified.out
    assert "failed_precondition" in replay.out
