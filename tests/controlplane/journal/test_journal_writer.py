"""What a writer leaves behind, and when it may not write."""

import errno
import fcntl
import stat
from pathlib import Path

import pytest

from controlplane.commands.options import STARTED_FILE, remember_start
from controlplane.errors import JournalUnwritable, UsageError
from controlplane.journal.journal_content import open_journal
from controlplane.journal.journal_file import is_being_written
from controlplane.journal.journal_lines import JournalWriter
from tests.controlplane.journal.written_journal import EVENTS, written
from tests.support.recorded_events import read_events


def test_a_journal_its_folder_and_the_list_of_starts_are_readable_only_by_their_user(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "r.jsonl"
    with JournalWriter(path, create=True):
        remember_start(path)
        modes = [stat.S_IMODE(place.stat().st_mode) for place in (path.parent, path, path.with_name(STARTED_FILE))]
    assert modes == [0o700, 0o600, 0o600]


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
