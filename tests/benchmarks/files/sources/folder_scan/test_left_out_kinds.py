"""What is not a text file in a folder, such as a link. It is left out, and never read as a text.

`ask "Until when may loan-02 be kept?" loans/` reads the text files below `loans/`.
`sources.left_out` has what else there is, by the reason: `{"a link": ["/up"]}`.
"""

import os
from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import find_sources
from tests.benchmarks.files.opened_files import write_files


def test_binary_file_is_left_out(tmp_path: Path) -> None:
    """A file with a NUL byte is not a text."""
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\x00\x01")

    assert dict(find_sources(tmp_path).left_out) == {"binary": ["/logo.png"]}


def test_links_are_left_out(tmp_path: Path) -> None:
    """A link in a downloaded folder could point to any file of the user."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/passwd").symlink_to("/etc/passwd")
    (tmp_path / "up").symlink_to("/etc")

    left_out = find_sources(tmp_path).left_out

    assert sorted(left_out["a link"]) == ["/docs/passwd", "/up"]


def test_pipe_is_left_out(tmp_path: Path) -> None:
    """Reading a pipe would wait for a writer without end."""
    os.mkfifo(tmp_path / "pipe")

    assert dict(find_sources(tmp_path).left_out) == {"not a file": ["/pipe"]}


def test_link_that_replaces_a_file_later_is_not_followed(tmp_path: Path) -> None:
    """Files are read long after the folder was scanned, and may have been replaced."""
    write_files(tmp_path, {"notes.md": "Call Ines.\n", "docs/loans.md": "# Loans\n"})
    sources = find_sources(tmp_path)

    (tmp_path / "notes.md").unlink()
    (tmp_path / "notes.md").symlink_to("/etc/passwd")
    (tmp_path / "docs").rename(tmp_path / "moved")
    (tmp_path / "docs").symlink_to(tmp_path / "moved")

    assert sources.get("/notes.md") is None
    assert sources.get("/docs/loans.md") is None
