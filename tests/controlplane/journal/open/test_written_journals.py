"""A journal is written by one process at a time, and readable only by its user.

A process that writes a journal, the record of a run, holds a lock on it. Some network drives have no
locks.
"""

import errno
import fcntl
import stat
from pathlib import Path

import pytest

from controlplane.errors import JournalUnwritable
from controlplane.journal.journal_files import is_being_written
from controlplane.journal.journal_writer import JournalWriter


@pytest.fixture
def no_file_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the file system refuse to lock files, as some network drives do."""

    def refuse_lock(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse_lock)


def test_a_journal_and_its_folder_are_readable_only_by_their_user(
    tmp_path: Path,
) -> None:
    """A journal has all that the model read, such as private files."""
    path = tmp_path / "runs" / "r.jsonl"
    with JournalWriter(path, create=True):
        folder_mode = stat.S_IMODE(path.parent.stat().st_mode)
        file_mode = stat.S_IMODE(path.stat().st_mode)

    assert folder_mode == 0o700
    assert file_mode == 0o600


@pytest.mark.usefixtures("no_file_locks")
def test_no_journal_is_written_on_a_file_system_without_locks(tmp_path: Path) -> None:
    """A lock keeps a second process from writing to the same journal."""
    with pytest.raises(
        JournalUnwritable,
        match=r"cannot lock the journal .*: No locks available; use a folder on",
    ):
        JournalWriter(tmp_path / "new.jsonl", create=True)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_file_locks")
def test_a_journal_on_a_file_system_without_locks_is_not_being_written(
    tmp_path: Path,
) -> None:
    """No process can hold a lock on it."""
    (tmp_path / "old.jsonl").touch()

    assert not is_being_written(tmp_path / "old.jsonl")
