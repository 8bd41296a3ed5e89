"""Names of tasks and of runs that do not exist are refused before anything starts.

`run stock-count.3` names a task of the benchmark "ecom", and `run stock-count` all tasks of a
family. `show first` names the run "first", and `show last` the last one. In an expected message, "…"
stands for any text.
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


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param("replay nope", "no journals in runs … --runs-dir", id="name"),
        pytest.param(
            "replay nope.jsonl",
            "cannot read nope.jsonl: No such file or directory",
            id="file",
        ),
        pytest.param("show last", "no journals in runs", id="last"),
        pytest.param(
            "show last --runs-dir /dev/null",
            "cannot read the folder of the journals /dev/null: Not a directory",
            id="last, of a folder that is none",
        ),
        pytest.param(
            "runs --runs-dir /dev/null",
            "cannot read the folder of the journals /dev/null … with --runs-dir",
            id="all, of a folder that is none",
        ),
    ],
)
def test_a_run_that_does_not_exist_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Runs are looked for in the folder `runs`, which is empty here."""
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)
