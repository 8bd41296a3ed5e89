"""`compare first first+again` compares a run with itself, corrected by a rerun of some tasks.

`rerun` plays some tasks of a recorded run again, here as the run "again".
"""

from pathlib import Path

from tests.support.command import CommandRunner


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
