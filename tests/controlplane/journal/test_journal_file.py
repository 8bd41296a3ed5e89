"""Journals are opened as they are and out of what packs them; what cannot be opened is said in one line."""

import gzip
from pathlib import Path

import pytest

from controlplane.errors import ControlPlaneError, JournalDamaged, NotAJournal
from controlplane.journal.journal_file import newest_first
from controlplane.journal.journal_index import glance_at, name_in
from tests.support.command import ROOT, Type, check_line

SAMPLE = ROOT / "runs/sample.jsonl"


@pytest.mark.parametrize(
    ("name", "data", "error", "says"),
    [
        ("cut.jsonl.gz", gzip.compress(SAMPLE.read_bytes(), mtime=0)[:-20], JournalDamaged, "cannot be unpacked"),
        ("letter.jsonl.gz", b"a letter to a friend", JournalDamaged, "cannot be unpacked"),
        ("empty.jsonl.gz", gzip.compress(b"", mtime=0), NotAJournal, "no whole line"),
    ],
)
def test_a_journal_that_cannot_be_unpacked_is_told(
    name: str, data: bytes, error: type[ControlPlaneError], says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(error, match=says):
        glance_at(tmp_path / name)
    if name.startswith("letter"):
        assert name_in(tmp_path / name) == ""


def test_commands_find_read_and_verify_a_packed_journal_but_do_not_write_to_it(type_in: Type, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(SAMPLE.read_bytes()))
    assert newest_first(folder) == [folder / "packed.jsonl.gz"]
    assert type_in("show", "packed", "--json").json["run"] == "packed"
    assert type_in("replay", "packed", "--trial", "calendar-date.1", "--step", "1").code == 0
    (row,) = type_in("runs", "--json").json
    assert row["run"] == "packed"
    cut = gzip.compress(b"".join(SAMPLE.read_bytes().splitlines(keepends=True)[:-3]))
    (folder / "packed.jsonl.gz").write_bytes(cut)
    check_line(type_in("resume", "packed"), 2, "unpack it first")
