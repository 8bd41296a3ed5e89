"""Whatever is asked of files: all of it is there, or the result says that it was cut off."""

import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.files.files_benchmark import WORKER_MODULES
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.json_documents import json_bytes

CALL_BYTES = 1_000_000
"""What a message to a script's process holds."""
SEEDS = range(6)


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(WORKER_MODULES) as running:
        yield running


def random_text(random_: random.Random) -> str:
    """Return a text of up to 1.5 million characters:
    in lines of any length, in letters of any size."""
    letters = random_.choice(
        [string.ascii_letters, "äöüß", "契約の有効期限", "😀🎉", '"\\\x01']
    )
    words = [
        "".join(random_.choices(letters, k=random_.randrange(1, 12)))
        for _ in range(200)
    ]
    count = random_.choice([10, 1_000, 120_000])
    separator = random_.choice([" ", "\n", "\r\n", " \n"])
    return separator.join(random_.choices(words, k=count))


@pytest.fixture(params=SEEDS)
def random_(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(request.param)


def environment_of(folder: Path) -> FilesEnvironment:
    return FilesEnvironment(find_sources(folder), "question", "", None)


def call(
    environment: FilesEnvironment, operation: str, **arguments: Any
) -> dict[str, Any]:
    result = dict(environment.call(operation, arguments))
    assert len(json_bytes(result)) < CALL_BYTES, "a script would not get it"
    return result


def test_the_parts_of_a_read_are_the_whole_text(
    random_: random.Random, tmp_path: Path
) -> None:
    text = random_text(random_)
    (tmp_path / "a.txt").write_bytes(text.encode())
    environment = environment_of(tmp_path)
    start_char = 1
    content = ""
    while True:
        part = call(environment, "read", path="/a.txt", start_char=start_char)
        content += part["content"]
        if not part["truncated"]:
            break
        start_char = part["next_char"]

    assert content == text


def test_read_many_gives_each_file_whole_or_says_that_it_is_cut(
    random_: random.Random, tmp_path: Path
) -> None:
    texts = {f"/{number}.txt": random_text(random_) for number in range(5)}
    for path, text in texts.items():
        (tmp_path / path[1:]).write_bytes(text.encode())
    environment = environment_of(tmp_path)
    read_texts: dict[str, str] = {}
    cut_paths: list[str] = []
    start = 0
    while True:
        result = call(environment, "read_many", files="*.txt", start=start)
        for file in result["files"]:
            read_texts[file["path"]] = file["text"]
        cut_paths += result["cut"]
        assert result["truncated"] is bool(result["next"] or result["cut"])
        start = result["next"]
        if not start:
            break

    assert read_texts.keys() == texts.keys()
    for path, text in texts.items():
        if path not in cut_paths:
            assert read_texts[path] == text


def test_all_files_are_found_and_listed_or_the_result_is_truncated(
    random_: random.Random, tmp_path: Path
) -> None:
    names = {
        f"n{number}-{random_.randrange(10)}.txt"
        for number in range(random_.randrange(1, 400))
    }
    for name in names:
        (tmp_path / name).write_text("x")
    environment = environment_of(tmp_path)
    limit = random_.randrange(0, 300)

    find_result = call(environment, "find", name="*", limit=limit)
    list_result = call(environment, "list")
    tree_result = call(environment, "tree", level=0)

    if not find_result["truncated"]:
        assert set(find_result["paths"]) == {f"/{name}" for name in names}
    assert {entry["name"] for entry in list_result["entries"]} == names
    assert {child["name"] for child in tree_result["children"]} == names


@pytest.mark.parametrize("pattern", ["needle", r"n\w+dle", r"\bneedle\b"])
def test_a_search_shows_a_match_or_is_truncated(
    random_: random.Random, tmp_path: Path, pattern: str
) -> None:
    text = random_text(random_)
    index = random_.randrange(len(text))
    text_with_needle = f"{text[:index]} needle {text[index:]}"
    (tmp_path / "a.txt").write_bytes(text_with_needle.encode())

    result = call(environment_of(tmp_path), "search", pattern=pattern, limit=0)

    if not result["truncated"]:
        shown = "".join(match["text"] for match in result["matches"])
        assert "needle" in shown


def test_a_search_for_any_character_finds_every_filled_line_or_is_truncated(
    random_: random.Random, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_bytes(random_text(random_).encode())
    lines = (tmp_path / "a.txt").read_text().split("\n")
    filled_lines = [line for line in lines if line.strip("\r")]

    result = call(environment_of(tmp_path), "search", pattern=".", limit=0)

    if not result["truncated"]:
        found_lines = {match["line"] for match in result["matches"]}
        assert len(found_lines) >= len(filled_lines)


def test_a_table_has_all_rows_or_is_truncated_and_counts_them(
    random_: random.Random, tmp_path: Path, server: ForkServer
) -> None:
    pytest.importorskip("duckdb")
    count = random_.choice([3, 900, 4_000])
    width = random_.randrange(1, 400)
    rows = [f"{number},{'x' * random_.randrange(width)}" for number in range(count)]
    (tmp_path / "a.csv").write_text("\n".join(["n,note", *rows]))
    environment = environment_of(tmp_path)
    with Worker(server) as worker:
        environment.use_worker(worker)
        result = call(environment, "table", path="/a.csv", limit=0)

    assert result["total"] == count
    assert result["truncated"] is (len(result["rows"]) < count)
    assert [row["n"] for row in result["rows"]] == list(range(len(result["rows"])))
