"""What a writer leaves behind, and when it may not write."""

import errno
import fcntl
from pathlib import Path

import pytest

from controlplane.errors import JournalUnwritable, UsageError
from controlplane.journal.journal_content import open_journal
from controlplane.journal.journal_file import is_being_written
from controlplane.journal.journal_lines import JournalWriter
from tests.controlplane.journal.written_journal import EVENTS, written
from tests.support.recorded_events import read_events


def test_a_writer_that_goes_on_cuts_the_torn_line_first(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS[:-1])
    with path.open("ab") as file:
        file.write(b'{"prev":"')
    with open_journal(path) as known, JournalWriter(path, create=False) as journal:
        chain = known.index.chain
        journal.continue_after(length=chain.length, last_hash=chain.last_hash)
        journal.write(EVENTS[-1])
    assert list(read_events(path)) == EVENTS


def test_a_file_system_without_locks_is_told_as_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_here(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none_here)
    with pytest.raises(JournalUnwritable, match=r"cannot lock the journal .*: No locks available; use a folder on"):
        JournalWriter(tmp_path / "new.jsonl", create=True)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old.jsonl").touch()
    assert not is_being_written(tmp_path / "old.jsonl")


def test_two_writers_of_one_journal_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with JournalWriter(path, create=True), pytest.raises(UsageError, match="another process"):
        JournalWriter(path, create=False)
