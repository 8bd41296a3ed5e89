"""Searching files: `harness.search("x", context=1)` returns the lines that match a pattern.

Each match may have further lines around it. Whatever the files and the pattern are, a search must
not take long, or fail.
"""

from pathlib import Path

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.opened_files import environment_of
from tests.support.executed_work import assert_linear


def test_pattern_for_file_names_is_limited_in_length(tmp_path: Path) -> None:
    """A glob is a pattern such as `*.md`. A match with a long one could take ages."""
    (tmp_path / "a.md").write_text("x\n")
    long_pattern = "*a" * 200

    with pytest.raises(CallError, match="a glob has at most 255 characters"):
        environment_of(tmp_path).call("search", {"pattern": "x", "files": long_pattern})


def test_search_with_context_shows_each_line_once(tmp_path: Path) -> None:
    """With `context=1`, a match shows one more line before and after it, from line `first`.

    Lines that an earlier match shows are not repeated. So the match on line 1 shows lines 1
    and 2, and the match on line 2 adds only line 3.
    """
    (tmp_path / "a.md").write_text("x\n" * 1_000_000)
    arguments = {
        "pattern": "x",
        "context": 1,
        "limit": 1_000,
    }  # Every line matches.

    result = environment_of(tmp_path).call("search", arguments)

    lines_with_first = [(match["line"], match["first"]) for match in result["matches"]]
    assert lines_with_first[:3] == [(1, 1), (2, 3), (3, 4)]


def test_search_with_context_is_linear_work(tmp_path: Path) -> None:
    """Every line matches. The file is read once, not once for each match."""
    arguments = {"pattern": "x", "context": 1, "limit": 1_000}

    def search(line_count: int) -> None:
        folder = tmp_path / str(line_count)
        folder.mkdir()
        (folder / "a.md").write_text("x\n" * line_count)
        environment_of(folder).call("search", arguments)

    assert_linear(search, 2_000)


def test_search_skips_a_file_that_was_deleted_meanwhile(tmp_path: Path) -> None:
    """The user may change files while a question is answered.

    Both files were there when the environment was opened, so
    both count as searched. The kept one is in Latin-1.
    """
    (tmp_path / "kept.txt").write_bytes("gr\xfcne Eule\n".encode("latin-1"))
    (tmp_path / "deleted.txt").write_text("Eule\n")
    environment = environment_of(tmp_path)
    (tmp_path / "deleted.txt").unlink()

    result = environment.call("search", {"pattern": "Eule"})

    assert result["matches"] == [{"path": "/kept.txt", "line": 1, "text": "grüne Eule"}]
    assert result["searched"] == "2 of 2 files"
