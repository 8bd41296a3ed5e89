"""The recorded run "first" in the working folder, of which tests play some tasks again."""

import shutil
from pathlib import Path

import pytest

from tests.support.recorded_run import RecordedRun


@pytest.fixture
def first_run(recorded: RecordedRun, tmp_path: Path) -> Path:
    """The journal of the run "first" of 25 tasks, copied to the working folder."""
    shutil.copytree(recorded.folder / "runs", tmp_path / "runs")
    return tmp_path / "runs" / recorded.journal.name
