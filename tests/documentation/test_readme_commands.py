"""Every command of the README runs, as a reader types it, one after the other in one folder.

A command is a line of a block of the page that begins with three backquotes and `sh`. The first two
are left out: `./start`, whose run `tests/benchmarks/ecom/recorded_model/first_run` compares with the
page, and `./start test`, which would run these tests again.
"""

import re
from pathlib import Path

import pytest

from tests.documentation.command_lines import run_line
from tests.documentation.pages import README, shell_lines, table_rows
from tests.support.command import ROOT


def test_the_readme_begins_with_start_and_start_test() -> None:
    """A reader who types only these has seen a run and the tests."""
    assert shell_lines(README)[:2] == ["./start", "./start test"]


@pytest.mark.usefixtures("shared_fork_servers")
def test_every_command_of_the_readme_runs(tmp_path: Path, heavy: bool) -> None:
    """The exit code is 0, or 1 after a run with a task that the player of the run could not do.

    The README runs tasks without a model, by a player that has fixed rules, but none for some tasks.
    The product then answers in its place, by the *fallback*.
    """
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    lines = shell_lines(README)[2:]
    assert len(lines) > 12  # Fewer are a sign that the commands are not found.

    for line in lines:
        result = run_line(line if heavy else with_few_tasks(line), tmp_path)
        used_fallback = result.code == 1 and "ended by the fallback" in result.out
        assert result.code == 0 or used_fallback, (line, result)


def with_few_tasks(line: str) -> str:
    """Return a command of the page. If it is `run` without names of tasks, it plays only five."""
    if re.match(r"controlplane run( --|$)", line):
        line += " --limit 5"  # The last of two limits counts.
    return line


COMPARISON_OF_RUNNERS = README.partition("## Beside other runners")[2].partition(
    "## Where"
)[0]
"""A section of the README: a table of what other runners do, and our command for it."""


def test_commands_in_the_table_of_other_runners_stand_in_a_block_too() -> None:
    """Only the commands of blocks are run by the test above."""
    commands = re.findall(r"`(controlplane [^`]+)`", COMPARISON_OF_RUNNERS)

    assert len(commands) >= 5  # Fewer are a sign that the commands are not found.
    assert set(commands) <= set(shell_lines(README))


def test_the_table_of_other_runners_is_short_enough_to_be_read() -> None:
    _names_of_columns, *rows = table_rows(COMPARISON_OF_RUNNERS)

    assert len(rows) <= 8
