"""No call on files loses a part silently: its result is complete, or says `truncated`.

Each test makes random files, which may be longer than a result can be, and compares the
results of calls with what was written to the files.
"""

import random
import string
from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface.json_documents import json_bytes
from tests.benchmarks.files.opened_files import environment_of, environment_with_worker

MAX_RESULT_BYTES = 1_000_000
"""The largest message that the process of a script accepts."""
NO_LIMIT = 0
"""For calls whose results are only limited by `MAX_RESULT_BYTES`."""

# Letters that differ in their size: as UTF-8, and as JSON, which escapes the last ones.
ALPHABETS = [string.ascii_letters, "äöüß", "契約の有効期限", "😀🎉", '"\\\x01']
SEPARATORS = [" ", "\n", "\r\n", " \n"]
"""What is between two words. With `" "`, a text is one line; with the others, each word is a line."""


@pytest.fixture(params=range(6))
def rng(request: pytest.FixtureRequest) -> random.Random:
    """A source of random numbers. Each test runs six times, each time with another seed."""
    return random.Random(request.param)


def random_text(rng: random.Random) -> str:
    """Return a text of up to 1.5 million characters, in lines of any length."""
    letters = rng.choice(ALPHABETS)
    words: list[str] = []
    for _ in range(200):
        length = rng.randrange(1, 12)
        words.append("".join(rng.choices(letters, k=length)))
    word_count = rng.choice([10, 1_000, 120_000])
    separator = rng.choice(SEPARATORS)
    return separator.join(rng.choices(words, k=word_count))


def call(
    environment: FilesEnvironment, operation: str, **arguments: Any
) -> dict[str, Any]:
    """Return the result of a call, after checking that a script can receive it."""
    result = dict(environment.call(operation, arguments))
    assert len(json_bytes(result)) < MAX_RESULT_BYTES
    return result


class TestReadTexts:
    """The parts of a text, or of many texts, are together the whole.

    `random_text(rng)` is a text of up to 1.5 million characters, which may be longer than a result.
    """

    def test_parts_of_a_file_are_its_whole_text(
        self, rng: random.Random, tmp_path: Path
    ) -> None:
        """A truncated result has `next_char`, with which the next call begins."""
        text = random_text(rng)
        (tmp_path / "a.txt").write_bytes(text.encode())
        environment = environment_of(tmp_path)

        read_text = ""
        start_char = 1
        while True:
            part = call(environment, "read", path="/a.txt", start_char=start_char)
            read_text += part["content"]
            if not part["truncated"]:
                break
            start_char = part["next_char"]

        assert read_text == text

    def test_read_many_returns_each_file_as_a_whole_or_names_it_as_cut(
        self, rng: random.Random, tmp_path: Path
    ) -> None:
        """Each result has `next`, where the next call starts; it is 0 for the last one."""
        texts: dict[str, str] = {}
        for number in range(5):
            text = random_text(rng)
            (tmp_path / f"{number}.txt").write_bytes(text.encode())
            texts[f"/{number}.txt"] = text
        environment = environment_of(tmp_path)

        read_texts: dict[str, str] = {}
        cut_paths: list[str] = []
        start = 0
        while True:
            result = call(environment, "read_many", files="*.txt", start=start)
            assert result["truncated"] is bool(result["next"] or result["cut"])
            for file in result["files"]:
                read_texts[file["path"]] = file["text"]
            cut_paths += result["cut"]
            start = result["next"]
            if start == 0:
                break

        assert read_texts.keys() == texts.keys()
        for path, text in texts.items():
            if path not in cut_paths:
                assert read_texts[path] == text


class TestListedFiles:
    """Every file is listed, or the result says `truncated`."""

    def test_all_files_are_listed_or_the_result_is_truncated(
        self, rng: random.Random, tmp_path: Path
    ) -> None:
        """Three calls list files: `find`, which has a limit, `list` and `tree`."""
        names: set[str] = set()
        for number in range(rng.randrange(1, 400)):
            names.add(f"n{number}-{rng.randrange(10)}.txt")
        for name in names:
            (tmp_path / name).write_text("x")
        environment = environment_of(tmp_path)
        limit = rng.randrange(0, 300)

        find_result = call(environment, "find", name="*", limit=limit)
        list_result = call(environment, "list")
        tree_result = call(environment, "tree", level=NO_LIMIT)

        if not find_result["truncated"]:
            found_names = {path.removeprefix("/") for path in find_result["paths"]}
            assert found_names == names
        assert {entry["name"] for entry in list_result["entries"]} == names
        assert {child["name"] for child in tree_result["children"]} == names


class TestSearchedTexts:
    """Every match is shown, or the result says `truncated`.

    `random_text(rng)` is a text of up to 1.5 million characters, in lines of any length.
    """

    @pytest.mark.parametrize("pattern", ["needle", r"n\w+dle", r"\bneedle\b"])
    def test_search_shows_the_match_or_is_truncated(
        self, rng: random.Random, tmp_path: Path, pattern: str
    ) -> None:
        """The word "needle" is put at a random place of a text."""
        text = random_text(rng)
        index = rng.randrange(len(text))
        text_with_needle = f"{text[:index]} needle {text[index:]}"
        (tmp_path / "a.txt").write_bytes(text_with_needle.encode())

        result = call(
            environment_of(tmp_path), "search", pattern=pattern, limit=NO_LIMIT
        )

        if not result["truncated"]:
            shown_text = "".join(match["text"] for match in result["matches"])
            assert "needle" in shown_text

    def test_search_for_any_character_finds_every_filled_line_or_is_truncated(
        self, rng: random.Random, tmp_path: Path
    ) -> None:
        """The pattern `.` matches in every line that is not empty. A line may end with `\\r\\n`."""
        (tmp_path / "a.txt").write_bytes(random_text(rng).encode())
        lines = (tmp_path / "a.txt").read_text().split("\n")
        filled_lines = [line for line in lines if line.strip("\r")]

        result = call(environment_of(tmp_path), "search", pattern=".", limit=NO_LIMIT)

        if not result["truncated"]:
            found_lines = {match["line"] for match in result["matches"]}
            assert len(found_lines) >= len(filled_lines)


class TestTables:
    """All rows of a table are returned, or the result says `truncated`."""

    def test_table_has_all_rows_or_is_truncated_and_counts_them(
        self, fork_server: ForkServer, rng: random.Random, tmp_path: Path
    ) -> None:
        """`total` is the number of all rows, also if only the first ones are returned."""
        pytest.importorskip("duckdb")
        row_count = rng.choice([3, 900, 4_000])
        max_width = rng.randrange(1, 400)
        lines = ["n,note"]
        for number in range(row_count):
            note = "x" * rng.randrange(max_width)
            lines.append(f"{number},{note}")
        (tmp_path / "a.csv").write_text("\n".join(lines))

        with environment_with_worker(
            fork_server, find_sources(tmp_path)
        ) as environment:
            result = call(environment, "table", path="/a.csv", limit=NO_LIMIT)

        assert result["total"] == row_count
        assert result["truncated"] is (len(result["rows"]) < row_count)
        returned_numbers = [row["n"] for row in result["rows"]]
        assert returned_numbers == list(range(len(returned_numbers)))
