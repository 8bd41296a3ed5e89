"""A recorded trial of three steps, which tests fork at one of them.

step 1   the model's script reads the clock
step 2   submits an answer that a *gate*, a check of answers, rejects
step 3   submits the right answer, for a score of 1
"""

import shutil
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.journal.trial_reader import RecordedTrial
from tests.support.command import CommandResult, CommandRunner, run_in_process
from tests.support.product_files import ROOT


@pytest.fixture(scope="session")
def runs_of_rejection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `runs` with the run "first", which has this trial."""
    folder = tmp_path_factory.mktemp("played")
    model = ("--model", f"scripted:{ROOT}/docs/examples/rejection.toml")
    command = ("run", "calendar-date.1", *model, "--name", "first")
    assert run_in_process(*command, cwd=folder).code == 0
    return folder / "runs"


@pytest.fixture
def original(
    runs_of_rejection: Path, tmp_path: Path, run_command_here: CommandRunner
) -> RecordedTrial:
    """The trial, whose journal is in the folder `runs` of the working folder."""
    shutil.copytree(runs_of_rejection, tmp_path / "runs")
    (path,) = Path("runs").glob("*.jsonl")
    (trial,) = open_journal(path).trials.values()
    return trial


@pytest.fixture
def fork_original(
    original: RecordedTrial, run_command_here: CommandRunner
) -> CommandRunner:
    """A function that forks the trial: `fork_original("--step", "2", "--json")`."""

    def fork(*options: str) -> CommandResult:
        return run_command_here("fork", "first", "--trial", "calendar", *options)

    return fork
