"""Runs whose journal is removed, or that other processes try to continue, while they play.

A run of 16 trials plays in a process of its own, and is disturbed after one or two. A run that
cannot record any more ends, so that it does not go on to spend money. While a run plays, it is the
only process that may write to its journal.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.errors import JournalUnwritable, UsageError
from tests.controlplane.accidents.disturbed_runs.runs_under_way import run_under_way
from tests.support.command import CommandRunner, check_error_line, run_in_process

pytestmark = pytest.mark.usefixtures("short_backoff")


def test_a_run_whose_folder_is_removed_ends(tmp_path: Path) -> None:
    with run_under_way(tmp_path, ended_trials=2) as run:
        # Renamed first, so that nothing is written into the folder while it is removed.
        removed_folder = (tmp_path / "runs").rename(tmp_path / "removed")
        shutil.rmtree(removed_folder)
        ended = run.wait_for_end()

    check_error_line(
        ended, JournalUnwritable.exit_code, "was removed while it was being written"
    )


def test_no_second_process_can_continue_a_run_that_plays(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """While a run plays, other commands try to resume, submit and poll it (ask for its scores).
    All are refused, and the run is not disturbed."""
    with run_under_way(tmp_path, ended_trials=1) as run:
        resumed = run_command_here("resume", str(run.journal))
        submitted = run_command_here("submit", "--force", str(run.journal))
        polled = run_command_here("poll", str(run.journal))
        ended = run.wait_for_end()

    check_error_line(
        resumed, UsageError.exit_code, "another process is writing", "stop it first"
    )
    for result in (submitted, polled):
        check_error_line(
            result,
            UsageError.exit_code,
            "another process is conducting",
            "follow it with",
            "show",
            "--follow",
        )
    assert ended.code == 0, ended.err
    replay = run_in_process("replay", run.journal, "--verify", cwd=tmp_path)
    assert replay.code == 0
