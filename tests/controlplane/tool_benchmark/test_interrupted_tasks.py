"""A run of a program's tasks is interrupted, and the program resumes it with its tasks.

For example:

    controlplane.run(tasks, resume=journal)
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import controlplane
from controlplane import Task, TaskEnvironment

REPLY = """
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "5", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "5")
'''
"""


def task_of(
    instruction: str, grade: Callable[[TaskEnvironment], float] = lambda end: 1.0
) -> Task:
    """Return the task "sum" with this instruction."""
    return Task("sum", instruction, files={"/a": "x"}, grade=grade)


def press_ctrl_c(end: TaskEnvironment) -> float:
    """Interrupt the program when it grades."""
    raise KeyboardInterrupt


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """The journal of a run of "Add 2 and 3.", interrupted after the answer, while it is graded."""
    (tmp_path / "replies.toml").write_text(REPLY)
    with pytest.raises(KeyboardInterrupt):
        controlplane.run(
            [task_of("Add 2 and 3.", grade=press_ctrl_c)],
            model=f"scripted:{tmp_path / 'replies.toml'}",
            runs_dir=str(tmp_path),
            gates="none",
        )
    (journal,) = tmp_path.glob("*.jsonl")
    return journal


def test_an_interrupted_trial_is_resumed_with_its_task(journal: Path) -> None:
    resumed = controlplane.run([task_of("Add 2 and 3.")], resume=journal)

    assert resumed["sum"].score == 1.0


def test_an_interrupted_trial_is_not_resumed_with_another_instruction(
    journal: Path,
) -> None:
    """The recorded answer is one to the first instruction."""
    refused = controlplane.run([task_of("Delete everything.")], resume=journal)

    assert refused["sum"].score is None
    assert "another instruction" in refused["sum"].why


def test_a_trial_that_was_not_resumed_can_be_resumed_with_its_task(
    journal: Path,
) -> None:
    controlplane.run([task_of("Delete everything.")], resume=journal)

    resumed = controlplane.run([task_of("Add 2 and 3.")], resume=journal)

    assert resumed["sum"].score == 1.0
