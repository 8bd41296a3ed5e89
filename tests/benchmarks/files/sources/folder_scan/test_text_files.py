"""The text files of a folder: they are the sources that a question is about.

`ask "Until when may loan-02 be kept?" loans/` reads the text files below `loans/`. `sources` maps
the path of each to its text. `sources.left_out` has the files that are no sources, by the reason,
and `sources.large` those that are read in parts.
"""

import os
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.sources.file_sources import SourceFiles, SourceLimits
from tests.benchmarks.files.opened_files import write_files


def test_text_files_are_sources(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/loans.md": "# Loans\n", "notes.md": "Call Ines.\n"})
    # A text file may also be in the older encoding Latin-1.
    (tmp_path / "docs/latin.dat").write_bytes("gr\xfc\xdfe".encode("latin-1"))

    sources = find_sources(tmp_path)

    assert list(sources) == ["/docs/latin.dat", "/docs/loans.md", "/notes.md"]
    assert sources["/docs/latin.dat"] == "gr\xfc\xdfe"
    assert dict(sources.left_out) == {}


def test_text_file_of_9_mb_is_a_source_that_is_read_in_parts(tmp_path: Path) -> None:
    """`sources.large` has the files that are too long to be read as a whole."""
    (tmp_path / "huge.txt").write_text("x" * 9_000_000)

    sources = find_sources(tmp_path)

    assert list(sources) == ["/huge.txt"]
    assert sources.large == {"/huge.txt"}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_file_of_the_system_without_a_size_is_empty() -> None:
    """Linux makes the text of /proc/.../status while the file is read, and says that its size is 0.

    Such a file could be of any length, so it is read only up to its size.
    """
    folder = Path(f"/proc/{os.getpid()}")
    sources = SourceFiles(folder, SourceLimits())

    assert sources.bytes_of("/status") == b""
    assert sources.first_bytes_of("/status", 100) == b""
