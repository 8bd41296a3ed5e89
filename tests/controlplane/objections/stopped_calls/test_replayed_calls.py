"""A call that a check stopped is replayed as it was recorded.

The model calls `/bin/checkout` to buy a basket, of which the shop has one product too few. A check stops
this call, once, before it is made. In the model's script, the call raises the error `failed_precondition`.
"""

from pathlib import Path

import pytest

from tests.controlplane.objections.stopped_calls.basket_runs import TASK, run_checkouts
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    "checkouts",
    [
        pytest.param({"attempts": 1}, id="the model gives up"),
        pytest.param({"attempts": 2}, id="makes the call again, which is sent"),
        pytest.param(
            {"attempts": 1, "then_other_basket": True},
            id="tries to buy another basket, which does not exist",
        ),
    ],
)
def test_a_stopped_call_is_replayed_as_recorded(
    checkouts: dict[str, int], tmp_path: Path
) -> None:
    """`run_checkouts` plays the one trial of the run "tried", in which a model makes these calls."""
    run_checkouts(tmp_path, **checkouts)

    verified = run_in_process("replay", "tried", "--verify", cwd=tmp_path)
    replay = run_in_process(
        "replay", "tried", "--trial", TASK, cwd=tmp_path, COLUMNS="300"
    )

    assert "everything is as recorded" in verified.out
    assert "failed_precondition" in replay.out
