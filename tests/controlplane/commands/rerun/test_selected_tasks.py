"""`rerun` plays some tasks of a recorded run again, as a new run that names the old one.

The run "first" had the 25 tasks seat-001 to seat-025, of which five had a score below 1:

    rerun first --below 1    ->    seat-005, seat-010, seat-015, seat-020, seat-025
"""

from pathlib import Path

import pytest

from controlplane import open_journal
from tests.support.command import CommandRunner
from tests.support.recorded_run import FAILED_TASKS


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
