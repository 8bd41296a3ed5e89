"""A call that a check stopped is replayed as it was recorded.

The script of the model sees the stopped call as the error `failed_precondition`, in a replay, too.
"""

from pathlib import Path

import pytest

from tests.controlplane.objections.stopped_calls.basket_runs import (
    TASK,
    basket_of_task,
    run_script,
)
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    "last_lines",
    [
        pytest.param('buy("BASKET")', id="the model gives up"),
        pytest.param('buy("BASKET")\nbuy("BASKET")', id="it makes the call again"),
        pytest.param('buy("BASKET")\nbuy("basket-9999")', id="it makes another call"),
    ],
)
def test_a_stopped_call_is_replayed_as_recorded(
    last_lines: str, tmp_path: Path
) -> None:
    run_script(tmp_path, last_lines.replace("BASKET", basket_of_task()))

    verified = run_in_process("replay", "tried", "--verify", cwd=tmp_path)
    replay = run_in_process(
        "replay", "tried", "--trial", TASK, cwd=tmp_path, COLUMNS="300"
    )

    assert "everything is as recorded" in verified.out
    assert "failed_precondition" in replay.out
