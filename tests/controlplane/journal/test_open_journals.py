"""Files of journals: they are closed, private, and written by one process at a time.

`open_journal(path)` reads a journal, a file of JSON lines, as far as it is asked to. A run holds a
lock on its journal while it writes.
"""

import errno
import fcntl
import stat
from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged, JournalUnwritable
from controlplane.journal.journal_files import is_being_written
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.journal_writer import JournalWriter
from tests.support.command import ROOT, run_python

OPEN_AND_FORGET_JOURNALS = """
import gc, os, pathlib, sys
from controlplane import open_journal

open_files_before = len(os.listdir("/proc/self/fd"))
for _ in range(3):
    journal = open_journal(pathlib.Path(sys.argv[1]))
    first_trial, *_ = journal.trials.values()
    print(len(first_trial.steps))
    del journal, first_trial
gc.collect()
assert len(os.listdir("/proc/self/fd")) == open_files_before
"""
"""A program that opens a journal three times, reads in it, and does not close it."""


class TestClosing:
    """An open journal holds its file open, and closes it when it is closed or not used any more.

    A trial reads its events from the file when it is asked for them, so the file stays open.
    """

    def test_a_closed_journal_cannot_be_read(self) -> None:
        """A trial reads its events from the file when it is asked for them."""
        journal = open_journal(ROOT / "runs/sample.jsonl")
        first_trial, *_ = journal.trials.values()
        journal.close()
        journal.close()  # A second time changes nothing.

        with pytest.raises(JournalDamaged, match="closed"):
            list(first_trial.events())

    def test_a_journal_that_is_not_used_any_more_closes_its_file(self) -> None:
        """The option `-W error` prints a line if Python has to close a file itself."""
        sample = ROOT / "runs/sample.jsonl"  # the journal of a small run

        result = run_python("-W", "error", "-c", OPEN_AND_FORGET_JOURNALS, sample)

        assert result.code == 0, result.err
        assert result.err == ""


@pytest.fixture
def no_file_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the file system refuse to lock files, as some network drives do."""

    def refuse_lock(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse_lock)


class TestWriting:
    """A journal is written by one process, for one user.

    A process that writes a journal holds a lock on it. Some network drives have no locks.
    """

    def test_a_journal_and_its_folder_are_readable_only_by_their_user(
        self, tmp_path: Path
    ) -> None:
        """A journal has all that the model read, such as private files."""
        path = tmp_path / "runs" / "r.jsonl"
        with JournalWriter(path, create=True):
            folder_mode = stat.S_IMODE(path.parent.stat().st_mode)
            file_mode = stat.S_IMODE(path.stat().st_mode)

        assert folder_mode == 0o700
        assert file_mode == 0o600

    @pytest.mark.usefixtures("no_file_locks")
    def test_no_journal_is_written_on_a_file_system_without_locks(
        self, tmp_path: Path
    ) -> None:
        """A lock keeps a second process from writing to the same journal."""
        with pytest.raises(
            JournalUnwritable,
            match=r"cannot lock the journal .*: No locks available; use a folder on",
        ):
            JournalWriter(tmp_path / "new.jsonl", create=True)

        assert list(tmp_path.iterdir()) == []

    @pytest.mark.usefixtures("no_file_locks")
    def test_a_journal_on_a_file_system_without_locks_is_not_being_written(
        self, tmp_path: Path
    ) -> None:
        """No process can hold a lock on it."""
        (tmp_path / "old.jsonl").touch()

        assert not is_being_written(tmp_path / "old.jsonl")
