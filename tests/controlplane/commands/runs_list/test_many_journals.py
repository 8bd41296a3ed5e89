"""`runs` lists the 20 newest journals, and all of them with `--all`.

Each run leaves a journal. The folder has 25, whose names begin with different times, so that the list
ends in "and 5 older: .../controlplane runs --all".
"""

import re
from pathlib import Path

import pytest

from controlplane.journal.run_events import RunClosed
from tests.support.command import run_in_process
from tests.support.journals.sample_events import RUN_OPENED, write_journal


@pytest.fixture
def folder_of_25_journals(tmp_path: Path) -> Path:
    """A folder with 25 journals of runs without trials, with different times in their names."""
    events = [RUN_OPENED, RunClosed(how="finished", exit_code=0)]
    (tmp_path / "runs").mkdir()
    for number in range(25):
        write_journal(tmp_path / f"runs/20260101-{number:06}-crowd.jsonl", events)
    return tmp_path


def test_runs_lists_the_20_newest_journals_and_counts_the_rest(
    folder_of_25_journals: Path,
) -> None:
    """The last line says how to list all of them."""
    listed = run_in_process("runs", cwd=folder_of_25_journals)

    lines = listed.out.splitlines()
    assert len(lines) == 22  # the heading, 20 journals, and the line below
    assert re.search(r"and 5 older: .* runs --all$", lines[-1].strip())


def test_runs_lists_all_journals_on_demand(folder_of_25_journals: Path) -> None:
    listed = run_in_process("runs", "--all", cwd=folder_of_25_journals)

    assert len(listed.out.splitlines()) == 26  # the heading and 25 journals
