"""A loop of `improve` plans by itself for a benchmark whose worlds are all the same, the library.

Other worlds would prove nothing. So its three tasks, foreign-reader, overdue-loans and renewed-loan, are
divided: one trains, one checks, and one proves that the result is better.
"""

from controlplane.errors import UsageError
from tests.controlplane.improving.improve_command import PLAYER, PROPOSER
from tests.controlplane.improving.loop_plans.parts_of_loops import tasks_of_parts
from tests.controlplane.improving.riddle_loop import RiddleLoop
from tests.support.command import ROOT

LIBRARY_TASKS = ["foreign-reader", "overdue-loans", "renewed-loan"]
"""The tasks of the library, a benchmark in `docs/examples`. Its files are written down, not
generated, so that they are the same in all worlds."""


def plan_library_loop(loop: RiddleLoop, *task_names: str) -> None:
    """Let `improve` plan a loop over the library's tasks, some of which may be named.

    The loop stops as soon as the plan is recorded, because its time (`--run-time`) is over.
    """
    run = loop.command(
        "improve",
        *task_names,
        "--benchmark",
        f"folder:{ROOT / 'docs/examples/library'}",
        "--model",
        PLAYER,
        "--with",
        PROPOSER,
        "--hints",
        "hints.txt",
        "--run-time",
        "0.001",
    )
    assert run.code != UsageError.exit_code, run.err


def test_tasks_are_split_if_all_worlds_of_a_benchmark_are_the_same(
    loop: RiddleLoop,
) -> None:
    """Other worlds would prove nothing: they are the same. So each of the library's three tasks
    goes to one part of the loop."""
    plan_library_loop(loop)

    train, check, final = tasks_of_parts(loop)
    assert sorted([*train, *check, *final]) == LIBRARY_TASKS


def test_named_tasks_train_and_the_others_check_and_prove(loop: RiddleLoop) -> None:
    """`improve overdue-loans` learns from this task. The library has two others."""
    plan_library_loop(loop, "overdue-loans")

    train, check, final = tasks_of_parts(loop)
    assert train == ["overdue-loans"]
    assert sorted([*train, *check, *final]) == LIBRARY_TASKS
