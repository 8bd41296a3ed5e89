"""Runs whose journal is removed, or that other processes try to continue, while they play.

A run that cannot record any more ends, so that it does not go on to spend money. While a run plays, it
is the only process that may write to its journal.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.errors import JournalUnwritable, UsageError
from tests.support.command import (
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
    start_controlplane,
    wait_until,
)
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK

pytestmark = pytest.mark.usefixtures("short_backoff")

RUN_OF_16_TRIALS = ("run", *PHONEBOOK, "ada", "grace", "--repeats", "8", "--quiet")
"""Plays two tasks eight times each, all of them rightly, with a model that is a script."""


def count_ended_trials(journal: Path) -> int:
    """Return how many trials have ended in a journal so far."""
    return journal.read_bytes().count(b'"type":"trial_ended"')


class RunUnderWay(NamedTuple):
    """A run that plays its trials, in a process of its own."""

    process: subprocess.Popen[str]
    journal: Path

    def wait_for_end(self) -> CommandResult:
        """Wait until the process ends by itself, and return its result."""
        out, err = self.process.communicate(timeout=60)
        return CommandResult(self.process.returncode, out, err)


@contextmanager
def run_under_way(folder: Path, *, ended_trials: int) -> Iterator[RunUnderWay]:
    """Start a run of a few seconds, and yield it once this number of trials has ended.

    The process is killed at the end of the block if it still runs.
    """
    runs = folder / "runs"

    def has_ended_trials() -> bool:
        journals = list(runs.glob("*.jsonl"))
        return any(count_ended_trials(journal) >= ended_trials for journal in journals)

    process = start_controlplane(*RUN_OF_16_TRIALS, "--set", "delay_s=0.2", cwd=folder)
    with process:
        try:
            wait_until(has_ended_trials)
            (journal,) = runs.glob("*.jsonl")
            yield RunUnderWay(process, journal)
        finally:
            process.kill()


OK = 0


class TestDisturbedRuns:
    """A run of 16 trials plays in a process of its own, and is disturbed after one or two.

    `run_under_way(folder, ended_trials=2)` yields the process and its journal once two trials have
    ended. The run takes some seconds more.
    """

    def test_a_run_whose_folder_is_removed_ends(self, tmp_path: Path) -> None:
        """A run that cannot record any more must not go on to spend money."""
        with run_under_way(tmp_path, ended_trials=2) as run:
            # Renamed first, so that nothing is written into the folder while it is removed.
            removed_folder = (tmp_path / "runs").rename(tmp_path / "removed")
            shutil.rmtree(removed_folder)
            ended = run.wait_for_end()

        check_error_line(
            ended,
            JournalUnwritable.exit_code,
            "was removed while it was being written",
        )

    def test_no_second_process_can_continue_a_run_that_plays(
        self, tmp_path: Path, run_command_here: CommandRunner
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
        assert ended.code == OK, ended.err
        replay = run_in_process("replay", run.journal, "--verify", cwd=tmp_path)
        assert replay.code == OK
