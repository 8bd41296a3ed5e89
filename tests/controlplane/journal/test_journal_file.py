"""What is not a journal, or cannot be opened, is said in one line."""

from pathlib import Path

import pytest

from controlplane.errors import NotAJournal
from controlplane.journal.journal_index import glance_at, name_in


@pytest.mark.parametrize(
    ("data", "says"), [(b"a letter to a friend\n", "first line"), (b"", "no whole line"), (b"{", "no whole line")]
)
def test_a_file_that_is_not_a_journal_is_told(data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(data)
    with pytest.raises(NotAJournal, match=says):
        glance_at(tmp_path / "r.jsonl")
    assert name_in(tmp_path / "r.jsonl") == ""
