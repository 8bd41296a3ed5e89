"""The user says which tasks of a loop of `improve` are training, check and final tasks.

A loop shows training tasks to the model that proposes hints, chooses the best hints by check tasks,
and proves by final tasks that these hints are better. The tasks are six riddles: alder, birch,
cedar, dogwood, elm and fir.
"""

import pytest

from tests.controlplane.improving.loop_plans.parts_of_loops import tasks_of_parts
from tests.controlplane.improving.riddle_loop import RiddleLoop

TASKS_BY_NAME = (
    "--train",
    "alder, elm",
    "--check",
    "birch,cedar",
    "--final",
    "dogwood,fir",
)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("--split", "34/33/33"), id="percentages of the tasks"),
        pytest.param(TASKS_BY_NAME, id="names of tasks"),
    ],
)
def test_each_part_of_a_loop_has_tasks_of_its_own(
    loop: RiddleLoop, options: tuple[str, ...]
) -> None:
    """Six tasks make three parts of two. The plan is made before the only proposal."""
    run = loop.improve("--json", "--proposals", "1", parts=options)

    train, check, final = tasks_of_parts(loop)
    assert len(train) == 2
    assert len(check) == 2
    assert len(final) == 2
    assert len({*train, *check, *final}) == 6
    not_proven = 1  # Two final tasks are too few to prove an improvement.
    assert run.code == not_proven
