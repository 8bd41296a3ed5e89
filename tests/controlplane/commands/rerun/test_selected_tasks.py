"""`rerun` plays some tasks of a recorded run again, as a new run that names the old one.

The run "first" had the 25 tasks seat-001 to seat-025, of which five had a score below 1:

    rerun first --below 1    ->    seat-005, seat-010, seat-015, seat-020, seat-025
"""

import shutil
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.errors import UsageError
from tests.support.command import CommandRunner, check_error_line
from tests.support.recorded_run import FAILED_TASKS, RecordedRun


@pytest.fixture
def first_run(recorded: RecordedRun, tmp_path: Path) -> Path:
    """The journal of the run "first" of 25 tasks, copied to the working folder."""
    shutil.copytree(recorded.folder / "runs", tmp_path / "runs")
    return tmp_path / "runs" / recorded.journal.name


# `compare first first+again` compares a run with itself, corrected by a rerun of some tasks.
#
# `rerun` plays some tasks of a recorded run again, here as the run "again".


def test_a_run_and_its_rerun_can_be_compared_as_one_run(
    run_command_here: CommandRunner, first_run: Path
) -> None:
    """`compare` joins runs with a plus sign: the five failed tasks count as played again, the
    other 20 as in the first run. So every task has a partner in the run that it is compared
    with."""
    run_command_here("rerun", "first", "--below", "1", "--name", "again")

    both_runs = f"{first_run.stem}+again"
    comparison = run_command_here("compare", "first", both_runs, "--json").json

    assert len(comparison["tasks"]) == 25
    assert comparison["unpaired"] == []


# `rerun` selects nothing, or its options are wrong: no run begins.
#
#     rerun first --trials seat-999    ->    ... no trial 'seat-999'
#
# The run "first" is over: all of its 25 trials have ended, five with a wrong answer.


@pytest.mark.parametrize(
    ("flags", "message_part"),
    [
        pytest.param(("--failed",), "list them with: ", id="no trial failed to end"),
        pytest.param(
            ("--trials", "seat-999"), "no trial 'seat-999'", id="no such trial"
        ),
        pytest.param(
            ("--base-url", "ftp://x"),
            "--base-url",
            id="a wrong address of the model",
        ),
    ],
)
def test_a_rerun_that_cannot_be_played_is_refused_and_leaves_no_journal(
    flags: tuple[str, ...],
    message_part: str,
    run_command_here: CommandRunner,
    first_run: Path,
) -> None:
    refused = run_command_here("rerun", "first", *flags)

    check_error_line(refused, UsageError.exit_code, message_part)
    assert list(first_run.parent.glob("*.jsonl")) == [first_run]


@pytest.mark.parametrize(
    ("options", "expected_tasks"),
    [
        pytest.param(("--below", "1"), FAILED_TASKS, id="a score below 1"),
        pytest.param(
            # seat-005-t4 is the id of the fifth trial (t0 is the first), of the task seat-005.
            ("--trials", "seat-003", "--trials", "seat-005-t4"),
            ["seat-003", "seat-005"],
            id="by the names of a task and of a trial",
        ),
        pytest.param(
            # Five trials have a score below 1. `--failed` selects trials that did not start or
            # ended in a fallback, of which there are none.
            ("--below", "1", "--failed", "--trials", "seat-001"),
            ["seat-001", *FAILED_TASKS],
            id="what any of three options selects",
        ),
    ],
)
def test_a_rerun_plays_the_selected_tasks_and_names_its_parent(
    options: tuple[str, ...],
    expected_tasks: list[str],
    run_command_here: CommandRunner,
    first_run: Path,
) -> None:
    """The parent is the run "first". The first event in the journal of the rerun names it."""
    rerun = run_command_here(
        "rerun", "first", *options, "--name", "again", "--json"
    ).json

    assert [trial["task_id"] for trial in rerun["trials"]] == expected_tasks
    opened = open_journal(Path(rerun["journal"])).opened  # the first event
    assert opened.name == "again"
    assert opened.parent is not None
    assert opened.parent.run == first_run.stem
    assert opened.parent.how == "rerun"
    assert run_command_here("replay", "again", "--verify").code == 0
