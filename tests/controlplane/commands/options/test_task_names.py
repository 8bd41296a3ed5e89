"""The name of a task that does not exist is refused before anything starts.

`run stock-count.3` names a task of the benchmark "ecom", and `run stock-count` all tasks of a family.

    run stok-count    ->    ... no task 'stok-count'; did you mean 'stock-count...
"""

import shlex
from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run basket-chekout.1",
            "task 'basket-chekout.1'; did you mean 'basket-checkout.1'?",
            id="task",
        ),
        pytest.param(
            "run stok-count",
            "no task 'stok-count'; did you mean 'stock-count",
            id="family",
        ),
        pytest.param(
            "run archive-fraud.0", "did you mean 'archive-fraud", id="number below all"
        ),
        pytest.param("run archive-fraud.10000", "did you mean", id="number above all"),
        pytest.param(
            "run stok-count.77",
            "did you mean 'stock-count",
            id="family, with a number above all",
        ),
        pytest.param("run xyzzy", "known: ", id="like no task"),
        pytest.param(
            "serve basket-checkout.1 basket-chekout",
            "task 'basket-chekout'; did you mean 'basket-checkout'?",
            id="second of two",
        ),
    ],
)
def test_a_misspelled_task_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


def test_a_misspelled_task_of_a_users_benchmark_is_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The phonebook has the tasks ada, grace and edsger."""
    refused = run_command_here("run", *PHONEBOOK_WITH_PLAYER, "adda")

    check_refused(refused, tmp_path, "no task 'adda'; did you mean 'ada'?")
