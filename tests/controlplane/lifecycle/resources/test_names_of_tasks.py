"""The settings of a Python program's run may name a tool that only one of its tasks has.

`controlplane.run([task_1, task_2], provenance="off,pay=block")` protects the tool `pay`. The
settings hold for both tasks, so that a name is right if it is a tool of either.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.errors import UsageError

AGENT = "tests.controlplane.lifecycle.resources.silent_solver"
"""An agent that ends each trial without an answer."""


def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


def lend(amount: int) -> str:
    """Lend an amount."""
    return f"lent {amount}"


def task_with_tool(task_id: str, function: Callable[[int], str]) -> Task:
    """Return a task whose only tool is this function, which changes something ("acts")."""
    return Task(
        task_id,
        "Do it.",
        environment=lambda: TaskEnvironment([Tool(function, "acts")]),
        grade=lambda end: 1,
    )


PAY_AND_LEND = [task_with_tool("bank.pay", pay), task_with_tool("desk.lend", lend)]
"""The first task has the tool `pay`, the second `lend`."""


def test_settings_may_name_a_tool_that_only_one_of_the_tasks_has(
    tmp_path: Path,
) -> None:
    run = controlplane.run(
        PAY_AND_LEND,
        agent=AGENT,
        provenance="off,pay=block,lend=only:amount",
        reads="lend",
        runs_dir=str(tmp_path),
    )

    assert len(run.trials) == 2
    assert run.error == ""


def test_a_name_that_no_task_of_a_program_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'lend'"):
        controlplane.run(
            PAY_AND_LEND,
            agent=AGENT,
            provenance="off,lned=block",
            runs_dir=str(tmp_path / "runs"),
        )

    assert not (tmp_path / "runs").exists()
