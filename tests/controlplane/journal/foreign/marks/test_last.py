"""The word `last` in a command stands for the newest run that this user has made.

`show last` must not show a stranger's run, which a user may take for their own. The folder `runs` has a
forged journal of each kind, all of them newer than the user's own.
"""

import os
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.journal.foreign.forgeries import ALL_FORGERIES
from tests.support.command import run_in_process


@pytest.fixture
def foreign_runs(own_journal: Path, tmp_path: Path) -> Path:
    """A folder `runs` with a forged journal of each kind."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for forge in ALL_FORGERIES:
        forged = runs / f"{forge.__name__}.jsonl"
        forged.write_bytes(forge(own_journal.read_bytes()))
    return runs


def test_last_is_the_users_own_run_although_others_are_newer(
    own_journal: Path, foreign_runs: Path, tmp_path: Path
) -> None:
    copy_of_own = foreign_runs / own_journal.name
    copy_of_own.write_bytes(own_journal.read_bytes())
    os.utime(copy_of_own, (1, 1))  # the oldest of all

    shown = run_in_process("show", "last", "--json", cwd=tmp_path)

    assert shown.json["run"] == own_journal.stem


@pytest.mark.usefixtures("foreign_runs")
def test_last_names_no_run_if_all_are_of_others(tmp_path: Path) -> None:
    """The folder has journals, all of them forged."""
    refused = run_in_process("show", "last", cwd=tmp_path)

    assert refused.code == UsageError.exit_code, refused.err
    assert "you wrote none of the journals" in refused.err
