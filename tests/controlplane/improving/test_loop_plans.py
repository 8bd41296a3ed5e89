"""Which tasks and worlds a loop of `improve` uses: its plan has three parts.

Training tasks are shown to the proposer, check tasks choose the best candidate, and final tasks, which
nobody has seen, prove that it is better. The parts must share nothing: they have different worlds
(seeds) of the same tasks by default, and otherwise different tasks.
"""

import pytest

from controlplane.errors import UsageError
from controlplane.improving.worlds.task_shares import split_tasks
from tests.controlplane.improving.improve_command import PLAYER, PROPOSER
from tests.controlplane.improving.riddle_loop import NOT_BETTER, USAGE_ERROR, RiddleLoop
from tests.support.command import ROOT


class TestGivenPlans:
    """The user says which of the six tasks train, check and prove.

    The tasks are six riddles: alder, birch, cedar, dogwood, elm and fir.
    `loop.tasks_of_parts()` returns the tasks of the three parts.
    """

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
        self, loop: RiddleLoop, parts: tuple[str, ...]
    ) -> None:
        """Six tasks make three parts of two. That is too few to show an improvement."""
        run = loop.improve("--json", worlds=parts)

        train, check, final = loop.tasks_of_parts()
        assert len(train) == 2
        assert len(check) == 2
        assert len(final) == 2
        assert len({*train, *check, *final}) == 6
        assert run.code == NOT_BETTER


WORLDS_OF_TRAINING = ("--train", "1-11")
ALL_WORLDS = (*WORLDS_OF_TRAINING, "--check", "101-106", "--final", "201-212")


class TestWrongPlans:
    """A plan whose parts share a world, or that names what does not exist, is refused.

    By default, all parts have the same six tasks, and differ in their worlds:
    `--train 1-11 --check 101-106 --final 201-212`.
    """

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
        self, options: tuple[str, ...], expected_error: str, loop: RiddleLoop
    ) -> None:
        """Nothing is played or recorded."""
        run = loop.improve(worlds=options)

        assert run.code == USAGE_ERROR
        assert expected_error in run.err
        assert loop.server.asked == []
        assert not list((loop.folder / "runs").glob("*/loop.jsonl"))


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
    assert run.code != USAGE_ERROR, run.err


class TestOwnPlans:
    """The loop plans by itself for a benchmark whose worlds are all the same, the library.

    It has three tasks: foreign-reader, overdue-loans and renewed-loan.
    """

    def test_tasks_are_split_if_all_worlds_of_a_benchmark_are_the_same(
        self, loop: RiddleLoop
    ) -> None:
        """Other worlds would prove nothing: they are the same. So each of the library's three tasks
        goes to one part of the loop."""
        plan_library_loop(loop)

        train, check, final = loop.tasks_of_parts()
        assert sorted([*train, *check, *final]) == LIBRARY_TASKS

    def test_named_tasks_train_and_the_others_check_and_prove(
        self, loop: RiddleLoop
    ) -> None:
        """`improve overdue-loans` learns from this task. The library has two others."""
        plan_library_loop(loop, "overdue-loans")

        train, check, final = loop.tasks_of_parts()
        assert train == ["overdue-loans"]
        assert sorted([*train, *check, *final]) == LIBRARY_TASKS


EIGHT_TASKS = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"]


class TestShares:
    """`--split 50/25/25`: a half of the tasks trains, a quarter checks, and a quarter proves.

    `split_tasks(tasks, "50/25/25", seed=1)` returns the three parts; the seed decides which task
    goes where.
    """

    def test_tasks_are_split_by_shares(self) -> None:
        """Of eight tasks, four train, two check, and two prove."""
        train, check, final = split_tasks(EIGHT_TASKS, "50/25/25", seed=1)

        assert len(train) == 4
        assert len(check) == 2
        assert len(final) == 2
        assert sorted([*train, *check, *final]) == EIGHT_TASKS

    @pytest.mark.parametrize(
        "shares",
        [
            pytest.param("50/25/20", id="less than 100 in all"),
            pytest.param("99/1/0", id="an empty part"),
            pytest.param("50/50", id="two parts"),
            pytest.param("a/b/c", id="no numbers"),
        ],
    )
    def test_shares_that_do_not_divide_all_tasks_are_refused(self, shares: str) -> None:
        """Right shares are three percentages above 0 that make 100."""
        with pytest.raises(UsageError, match="cannot be split"):
            split_tasks(EIGHT_TASKS, shares, seed=1)
