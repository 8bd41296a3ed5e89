"""A plan of `improve` whose parts share a world, or that names what does not exist, is refused.

By default, all parts have the same six tasks, and differ in their worlds (seeds):

    --train 1-11 --check 10-20 --final 201-212    ->    --train and --check share 10
"""

import pytest

from controlplane.errors import UsageError
from tests.controlplane.improving.riddle_loop import RiddleLoop

WORLDS_OF_TRAINING = ("--train", "1-11")


ALL_WORLDS = (*WORLDS_OF_TRAINING, "--check", "101-106", "--final", "201-212")


@pytest.mark.parametrize(
    ("options", "expected_error"),
    [
        pytest.param(
            (*WORLDS_OF_TRAINING, "--check", "10-20", "--final", "201-212"),
            "--train and --check share 10",
            id="a world is in two parts",
        ),
        pytest.param(
            (*ALL_WORLDS, "--edit", "none.py"),
            "--edit none.py: there is no such file or folder",
            id="a file does not exist",
        ),
        pytest.param(
            (*ALL_WORLDS, "--split", "50/25/25"),
            "--split divides the tasks by itself",
            id="the parts are given as shares and as worlds",
        ),
        pytest.param(
            ("--train", "alder, oak", "--check", "101-106", "--final", "201-212"),
            "no task 'oak'",
            id="a task does not exist",
        ),
    ],
)
def test_a_plan_with_a_mistake_is_refused(
    options: tuple[str, ...], expected_error: str, loop: RiddleLoop
) -> None:
    """Nothing is played or recorded."""
    run = loop.improve(parts=options)

    assert run.code == UsageError.exit_code
    assert expected_error in run.err
    assert loop.server.asked == []
    assert not list((loop.folder / "runs").glob("*/loop.jsonl"))
