"""Reading and searching files by the calls of scripts, such as `harness.read("/a.txt")`.

A result has a limited size. So longer texts are read in parts, and many files in several calls:

- `truncated`: something is missing in the result.
- `next_char`: where in the text the next part begins; 0 if there is none.
- `next`: with which file the next call of `read_many` goes on; 0 if there is none.
- `cut`: the files of which `read_many` returns only the beginning.
"""

import re
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.opened_files import environment_of
from tests.support.executed_work import assert_linear


class TestLongText:
    """A text that is longer than one result is read in parts.

    A result has at most about a megabyte; `next_char` says where the next part begins.
    """

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("word " * 300_000, id="one line"),
            pytest.param("\u7d04" * 700_000, id="one line in Chinese"),
            pytest.param("x\n" * 700_000, id="short lines"),
        ],
    )
    def test_text_longer_than_one_result_is_read_in_parts(
        self, tmp_path: Path, text: str
    ) -> None:
        """A script calls `read` again, from the character `next_char` on, until that is 0."""
        (tmp_path / "long.txt").write_text(text, encoding="utf-8")
        environment = environment_of(tmp_path)

        read_text = ""
        part_count = 0
        start_char = 0
        while True:
            part = environment.call(
                "read", {"path": "/long.txt", "start_char": start_char}
            )
            assert part["line"] == read_text.count("\n") + 1
            assert part["truncated"] is bool(part["next_char"])
            read_text += str(part["content"])
            part_count += 1
            start_char = int(str(part["next_char"]))
            if start_char == 0:
                break

        assert read_text == text
        assert part_count > 1


@pytest.fixture
def large_file(tmp_path: Path) -> str:
    """The text of the file `/big.csv`, which has 100,000 lines and more than 1 MB."""
    lines = [f"{number},name {number}\n" for number in range(100_000)]
    text = "".join(lines)
    (tmp_path / "big.csv").write_text(text)
    return text


def refusal_to_read_whole(environment: FilesEnvironment) -> str:
    """Try to read all of `/big.csv`, and return the message of the error."""
    no_limit = 0
    whole_file = {"path": "/big.csv", "start_line": no_limit, "end_line": no_limit}
    with pytest.raises(CallError) as refusal:
        environment.call("read", whole_file)
    return refusal.value.message


class TestLargeFile:
    """A file of more than 1 MB is refused as a whole here, with a call that reads a part of it.

    The file `/big.csv` has 100,000 lines. `refusal_to_read_whole` returns the message of the error.
    """

    def test_reading_a_large_file_as_a_whole_is_refused_with_its_size(
        self, tmp_path: Path, large_file: str
    ) -> None:
        """Only files of up to 1 MB are read as a whole here.

        The text after the last line end, which is empty, counts as a line.
        """
        message = refusal_to_read_whole(environment_of(tmp_path, file_mb=1.0))

        line_count = large_file.count("\n") + 1
        assert f"{line_count:,} lines and {len(large_file):,} characters" in message
        assert message.startswith("/big.csv has ")

    @pytest.mark.usefixtures("large_file")
    def test_the_refusal_suggests_a_call_that_reads_as_many_lines_as_fit(
        self, tmp_path: Path
    ) -> None:
        """A script can copy it: `harness.read('/big.csv', start_line=1, end_line=4200)`."""
        environment = environment_of(tmp_path, file_mb=1.0)
        message = refusal_to_read_whole(environment)

        suggestion = re.search(
            r"harness.read\('/big.csv', start_line=1, end_line=(\d+)\)", message
        )
        assert suggestion is not None
        end_line = int(suggestion[1])
        part = environment.call(
            "read", {"path": "/big.csv", "start_line": 1, "end_line": end_line}
        )
        assert str(part["content"]).count("\n") == end_line
        assert part["truncated"] is False


class TestManyFiles:
    """`read_many` returns the texts of all files with such a name: `files="*.txt"`.

    Its result is limited, too. `next` says with which file the next call has to start.
    """

    def test_thousands_of_small_files_are_read_in_one_call(
        self, tmp_path: Path
    ) -> None:
        """Each has its text: `{"files": [{"path": "/t0000.txt", "text": ...}, ...]}`."""
        texts: dict[str, str] = {}
        for number in range(5_000):
            name = f"t{number:04}.txt"
            texts[f"/{name}"] = f"Ticket {number}\n{'x' * 100}\n"
            (tmp_path / name).write_text(texts[f"/{name}"])

        result = environment_of(tmp_path).call("read_many", {"files": "*.txt"})

        assert {file["path"]: file["text"] for file in result["files"]} == texts
        assert result["total"] == len(texts)
        assert result["next"] == 0

    def test_files_that_do_not_fit_into_one_result_are_read_in_a_second_call(
        self, tmp_path: Path
    ) -> None:
        """The files b and c do not fit into one result, so the first one ends after b."""
        half_a_result = "y" * 500_000
        (tmp_path / "a.txt").write_text("short")
        (tmp_path / "b.txt").write_text(half_a_result)
        (tmp_path / "c.txt").write_text(half_a_result)
        (tmp_path / "d.txt").write_text("short")
        environment = environment_of(tmp_path)

        first = environment.call("read_many", {"files": "*.txt"})
        second = environment.call(
            "read_many", {"files": "*.txt", "start": first["next"]}
        )

        assert [file["path"] for file in first["files"]] == ["/a.txt", "/b.txt"]
        assert [file["path"] for file in second["files"]] == ["/c.txt", "/d.txt"]
        assert second["next"] == 0

    def test_file_that_is_longer_than_one_result_of_read_many_is_named_as_cut(
        self, tmp_path: Path
    ) -> None:
        """No further call would return the rest of the long file, so `next` is 0: `read` has to.

        The short file is complete.
        """
        longer_than_one_result = "x\n" * 350_000 + "THE END"
        (tmp_path / "a.txt").write_text(longer_than_one_result)
        (tmp_path / "b.txt").write_text("short")
        environment = environment_of(tmp_path)

        both_files = environment.call("read_many", {"files": "*.txt"})
        short_file = environment.call("read_many", {"files": "b.txt"})

        assert both_files["truncated"] is True
        assert both_files["cut"] == ["/a.txt"]
        assert both_files["next"] == 0
        assert short_file["truncated"] is False
        assert short_file["cut"] == []


class TestSearch:
    """`search` returns the lines that match a pattern, with further lines around if asked to.

    Whatever the files and the pattern are, a search must not take long, or fail.
    """

    def test_pattern_for_file_names_is_limited_in_length(self, tmp_path: Path) -> None:
        """A glob is a pattern such as `*.md`. A match with a long one could take ages."""
        (tmp_path / "a.md").write_text("x\n")
        long_pattern = "*a" * 200

        with pytest.raises(CallError, match="a glob has at most 255 characters"):
            environment_of(tmp_path).call(
                "search", {"pattern": "x", "files": long_pattern}
            )

    def test_search_with_context_shows_each_line_once(self, tmp_path: Path) -> None:
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

        lines_with_first = [
            (match["line"], match["first"]) for match in result["matches"]
        ]
        assert lines_with_first[:3] == [(1, 1), (2, 3), (3, 4)]

    def test_search_with_context_is_linear_work(self, tmp_path: Path) -> None:
        """Every line matches. The file is read once, not once for each match."""
        arguments = {"pattern": "x", "context": 1, "limit": 1_000}

        def search(line_count: int) -> None:
            folder = tmp_path / str(line_count)
            folder.mkdir()
            (folder / "a.md").write_text("x\n" * line_count)
            environment_of(folder).call("search", arguments)

        assert_linear(search, 2_000)

    def test_search_skips_a_file_that_was_deleted_meanwhile(
        self, tmp_path: Path
    ) -> None:
        """The user may change files while a question is answered.

        Both files were there when the environment was opened, so
        both count as searched. The kept one is in Latin-1.
        """
        (tmp_path / "kept.txt").write_bytes("gr\xfcne Eule\n".encode("latin-1"))
        (tmp_path / "deleted.txt").write_text("Eule\n")
        environment = environment_of(tmp_path)
        (tmp_path / "deleted.txt").unlink()

        result = environment.call("search", {"pattern": "Eule"})

        assert result["matches"] == [
            {"path": "/kept.txt", "line": 1, "text": "grüne Eule"}
        ]
        assert result["searched"] == "2 of 2 files"
