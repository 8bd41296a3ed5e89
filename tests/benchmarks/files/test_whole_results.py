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


def test_read(random_: random.Random, tmp_path: Path) -> None:
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


def test_read_many(random_: random.Random, tmp_path: Path) -> None:
    texts = {f"/{number}.txt": random_text(random_) for number in range(5)}
    for path, text in texts.items():
        (tmp_path / path[1:]).write_bytes(text.encode())
    environment = environment_of(tmp_path)
    found: dict[str, str] = {}
    cut: list[str] = []
    start = 0
    while True:
        result = call(environment, "read_many", files="*.txt", start=start)
        for file in result["files"]:
            found[file["path"]] = file["text"]
        cut += result["cut"]
        assert result["truncated"] is bool(result["next"] or result["cut"])
        start = result["next"]
        if not start:
            break

    assert found.keys() == texts.keys()
    for path, text in texts.items():
        assert found[path] == text or path in cut


def test_find_list_and_tree(random_: random.Random, tmp_path: Path) -> None:
    names = {
        f"n{number}-{random_.randrange(10)}.txt"
        for number in range(random_.randrange(1, 400))
    }
    for name in names:
        (tmp_path / name).write_text("x")
    environment = environment_of(tmp_path)
    limit = random_.randrange(0, 300)
    result = call(environment, "find", name="*", limit=limit)

    assert result["truncated"] or {path[1:] for path in result["paths"]} == names
    assert {entry["name"] for entry in call(environment, "list")["entries"]} == names
    assert {
        child["name"] for child in call(environment, "tree", level=0)["children"]
    } == names


def test_search(random_: random.Random, tmp_path: Path) -> None:
    text = random_text(random_)
    place = random_.randrange(len(text))
    (tmp_path / "a.txt").write_bytes(
        (text[:place] + " needle " + text[place:]).encode()
    )
    environment = environment_of(tmp_path)
    for pattern in ("needle", r"n\w+dle", r"\bneedle\b"):
        result = call(environment, "search", pattern=pattern, limit=0)
        shown = "".join(match["text"] for match in result["matches"])
        assert result["truncated"] or "needle" in shown
    everything = call(environment, "search", pattern=".", limit=0)
    lines = {match["line"] for match in everything["matches"]}
    filled = sum(
        bool(line.strip("\r")) for line in (tmp_path / "a.txt").read_text().split("\n")
    )

    assert everything["truncated"] or len(lines) >= filled


def test_table(random_: random.Random, tmp_path: Path, server: ForkServer) -> None:
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
