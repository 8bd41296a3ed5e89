"""A stranger's journal of a finished run, made of one that this user's run has written."""

from pathlib import Path

import pytest

from tests.controlplane.journal.foreign.forgeries import Forge


@pytest.fixture
def foreign_journal(
    request: pytest.FixtureRequest, own_journal: Path, tmp_path: Path
) -> Path:
    """A foreign journal of a finished run. The test's parameter is the function that forges it."""
    forge: Forge = request.param
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(forge(own_journal.read_bytes()))
    return path
