"""Which files of a folder a question is about.

`ask "Until when may loan-02 be kept?" loans/` reads the text files below `loans/`. Hidden
and binary files, links, and files that git ignores are left out, and each has its reason:
`sources.left_out` is `{"binary": ["/logo.png"], "a link": ["/docs/passwd"]}`.
"""

import os
from pathlib import Path

import pytest

from controlplane.benchmarks.files.sources.file_sources import SourceFiles, SourceLimits
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from tests.benchmarks.files.opened_files import write_files


class TestTextFiles:
    """Text files are sources: `sources` maps the path of each to its text.

    `sources.left_out` has the files that are no sources, by the reason, and `sources.large`
    those that are read in parts.
    """

    def test_text_files_are_sources(self, tmp_path: Path) -> None:
        """`sources` maps the path of each file to its text."""
        write_files(
            tmp_path, {"docs/loans.md": "# Loans\n", "notes.md": "Call Ines.\n"}
        )
        # A text file may also be in the older encoding Latin-1.
        (tmp_path / "docs/latin.dat").write_bytes("gr\xfc\xdfe".encode("latin-1"))

        sources = find_sources(tmp_path)

        assert list(sources) == ["/docs/latin.dat", "/docs/loans.md", "/notes.md"]
        assert sources["/docs/latin.dat"] == "gr\xfc\xdfe"
        assert dict(sources.left_out) == {}

    def test_text_file_of_9_mb_is_a_source_that_is_read_in_parts(
        self, tmp_path: Path
    ) -> None:
        """`sources.large` has the files that are too long to be read as a whole."""
        with (tmp_path / "huge.txt").open("wb") as file:
            file.truncate(9_000_000)

        sources = find_sources(tmp_path)

        assert list(sources) == ["/huge.txt"]
        assert sources.large == {"/huge.txt"}

    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
    def test_file_of_the_system_without_a_size_is_empty(self) -> None:
        """Its text is made while it is read, so it has the size 0. Neither reading shows it."""
        folder = Path(f"/proc/{os.getpid()}")
        sources = SourceFiles(folder, SourceLimits())

        assert sources.bytes_of("/status") == b""
        assert sources.first_bytes_of("/status", 100) == b""


class TestLeftOutNames:
    """Files are left out whose names say that a question is not about them.

    `sources.left_out` has them by the reason: `{"hidden": ["/.gitignore"]}`.
    """

    def test_hidden_files_and_folders_are_left_out(self, tmp_path: Path) -> None:
        """Their names begin with a dot, or are those of caches."""
        write_files(
            tmp_path, {".gitignore": "", "docs/.hidden": "x", "__pycache__/x.pyc": "x"}
        )

        sources = find_sources(tmp_path)

        assert dict(sources) == {}
        hidden_paths = ["/.gitignore", "/__pycache__", "/docs/.hidden"]
        assert sorted(sources.left_out["hidden"]) == hidden_paths
        assert len(sources.left_out) == 1

    def test_files_that_git_ignores_are_left_out(self, tmp_path: Path) -> None:
        """The rules ignore a folder and all logs, except for one."""
        write_files(
            tmp_path,
            {
                ".gitignore": "build/\n*.log\n!keep.log\n",
                "build/out.txt": "x",
                "a.log": "x",
                "keep.log": "x",
            },
        )

        sources = find_sources(tmp_path)

        assert list(sources) == ["/keep.log"]
        assert sorted(sources.left_out["named by .gitignore"]) == ["/a.log", "/build"]

    def test_file_with_a_line_break_in_its_name_is_left_out(
        self, tmp_path: Path
    ) -> None:
        """Lists of files have one file a line."""
        (tmp_path / "two\nlines.md").write_text("x")

        left_out = find_sources(tmp_path).left_out

        assert dict(left_out) == {"its name cannot be used": ["/two\nlines.md"]}


class TestLeftOutKinds:
    """What is no text file is left out, and never read as one.

    `left_out` has such files by the reason: `{"a link": ["/up"]}`.
    """

    def test_binary_file_is_left_out(self, tmp_path: Path) -> None:
        """A file with a NUL byte is not a text."""
        (tmp_path / "logo.png").write_bytes(b"\x89PNG\x00\x01")

        assert dict(find_sources(tmp_path).left_out) == {"binary": ["/logo.png"]}

    def test_links_are_left_out(self, tmp_path: Path) -> None:
        """A link in a downloaded folder could point to any file of the user."""
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs/passwd").symlink_to("/etc/passwd")
        (tmp_path / "up").symlink_to("/etc")

        left_out = find_sources(tmp_path).left_out

        assert sorted(left_out["a link"]) == ["/docs/passwd", "/up"]

    def test_pipe_is_left_out(self, tmp_path: Path) -> None:
        """Reading a pipe would wait for a writer without end."""
        os.mkfifo(tmp_path / "pipe")

        assert dict(find_sources(tmp_path).left_out) == {"not a file": ["/pipe"]}

    def test_link_that_replaces_a_file_later_is_not_followed(
        self, tmp_path: Path
    ) -> None:
        """Files are read long after the folder was scanned, and may have been replaced."""
        write_files(
            tmp_path, {"notes.md": "Call Ines.\n", "docs/loans.md": "# Loans\n"}
        )
        sources = find_sources(tmp_path)

        (tmp_path / "notes.md").unlink()
        (tmp_path / "notes.md").symlink_to("/etc/passwd")
        (tmp_path / "docs").rename(tmp_path / "moved")
        (tmp_path / "docs").symlink_to(tmp_path / "moved")

        assert sources.get("/notes.md") is None
        assert sources.get("/docs/loans.md") is None


@pytest.fixture
def folder_with_journals(tmp_path: Path) -> Path:
    """A folder whose subfolder `runs` has the journal of an earlier question, and its schema."""
    write_files(
        tmp_path,
        {
            "runs/20261124-210308-files-614c.jsonl": "...",
            "runs/journal-3.schema.json": "{}",
            "a.md": "x",
        },
    )
    return tmp_path


class TestJournals:
    """The journals of earlier questions are left out, unless the user asks about them.

    A journal, `20261124-210308-files-614c.jsonl`, has an earlier question with its answer. It is
    written to a folder `runs`, together with the schema of its lines.
    """

    def test_journals_of_earlier_questions_are_left_out(
        self, folder_with_journals: Path
    ) -> None:
        """Otherwise the answer to an earlier question would be evidence for the next one."""
        sources = find_sources(folder_with_journals)

        assert list(sources) == ["/a.md"]
        assert sources.left_out["journals of runs"] == ["/runs"]

    def test_journals_are_sources_if_the_user_names_their_folder(
        self, folder_with_journals: Path
    ) -> None:
        """The question is about the subfolder `runs`, or names it."""
        sources_of_subfolder = find_sources(folder_with_journals / "runs")
        sources_by_name = find_sources(folder_with_journals, ["runs"])

        assert "/20261124-210308-files-614c.jsonl" in sources_of_subfolder
        assert "/runs/20261124-210308-files-614c.jsonl" in sources_by_name

    def test_folder_with_only_the_schema_of_journals_is_not_left_out(
        self, tmp_path: Path
    ) -> None:
        """Such a folder has no journal, so that nothing would be evidence for itself."""
        write_files(tmp_path, {"journal/journal-3.schema.json": "{}"})

        assert list(find_sources(tmp_path)) == ["/journal/journal-3.schema.json"]
