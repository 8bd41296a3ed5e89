"""The journal of a finished run, which the tests cut and change."""

import pytest

from tests.support.command import run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER


@pytest.fixture(scope="session")
def finished_journal(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of the journal of a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    assert run_in_process("run", *PHONEBOOK_WITH_PLAYER, cwd=folder).code == 0
    (path,) = folder.glob("runs/*.jsonl")
    return path.read_bytes()
