"""The user says which tasks of `improve` train, check and prove.

Training tasks are shown to the proposer, check tasks choose the best candidate, and final tasks, which
nobody has seen, prove that it is better. The tasks are six riddles: alder, birch, cedar, dogwood, elm
and fir.
"""

import pytest

from tests.controlplane.improving.loop_plans.parts_of_loops import tasks_of_parts
from tests.controlplane.improving.riddle_loop import RiddleLoop


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(("--split", "34/33/33"), id="by shares"),
        pytest.param(
            (
                "--train",
                "alder, elm",
                "--check",
                "birch,cedar",
                "--final",
                "dogwood,fir",
            ),
            id="by name",
        ),
    ],
)
def test_different_tasks_can_be_set_apart_instead_of_worlds(
    loop: RiddleLoop, parts: tuple[str, ...]
) -> None:
    """Six tasks make three parts of two. That is too few to show an improvement."""
    run = loop.improve("--json", worlds=parts)

    train, check, final = tasks_of_parts(loop)
    assert len(train) == 2
    assert len(check) == 2
    assert len(final) == 2
    assert len({*train, *check, *final}) == 6
    assert run.code == 1
