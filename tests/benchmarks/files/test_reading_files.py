"""Reading and searching files by the calls of scripts, such as `harness.read("/a.txt")`.

A result has a limited size. The tests show how longer texts are read in parts, and that a
result always says if something is missing: by `truncated`, `next` or `cut`.
"""

import re
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.opened_files import environment_of
from tests.support.executed_work import assert_linear


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("word " * 300_000, id="one line"),
        pytest.param("\u7d04" * 700_000, id="one line in Chinese"),
        pytest.param("x\n" * 700_000, id="short lines"),
    ],
)
def test_text_longer_than_one_result_is_read_in_parts(
    tmp_path: Path, text: str
) -> None:
    """Each result has `next_char`, where the next part begins; it is 0 for the last part."""
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    environment = environment_of(tmp_path)

    read_text = ""
    part_count = 0
    start_char = 0
    while True:
        part = environment.call("read", {"path": "/long.txt", "start_char": start_char})
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
    """Read `/big.csv` as a whole, which the numbers 0 stand for, and return the error message."""
    whole_file = {"path": "/big.csv", "start_line": 0, "end_line": 0}
    with pytest.raises(CallError) as refusal:
        environment.call("read", whole_file)
    return refusal.value.message


def environment_with_limit(folder: Path) -> FilesEnvironment:
    """Return an environment that reads files of up to 1 MB as a whole."""
    sources = find_sources(folder, file_mb=1.0)
    return FilesEnvironment(sources, "What?", "", None)


def test_reading_a_large_file_as_a_whole_is_refused_with_its_size(
    tmp_path: Path, large_file: str
) -> None:
    """The text after the last line end, which is empty, counts as a line."""
    message = refusal_to_read_whole(environment_with_limit(tmp_path))

    size = f"{100_000 + 1:,} lines and {len(large_file):,} characters"
    assert f"/big.csv has {size}" in message


@pytest.mark.usefixtures("large_file")
def test_the_refusal_suggests_a_call_that_reads_as_many_lines_as_fit(
    tmp_path: Path,
) -> None:
    """`harness.read('/big.csv', start_line=1, end_line=...)`, which the script can copy."""
    environment = environment_with_limit(tmp_path)
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


def test_thousands_of_small_files_are_read_in_one_call(tmp_path: Path) -> None:
    """Every seventh of 5,000 files has the priority `low`."""
    file_count = 5_000
    low_count = 0
    for number in range(file_count):
        priority = "high"
        if number % 7 == 0:
            priority = "low"
            low_count += 1
        text = f"Priority: {priority}\n{'x' * 100}\n"
        (tmp_path / f"t{number:04}.txt").write_text(text)

    result = environment_of(tmp_path).call("read_many", {"files": "*.txt"})

    assert result["total"] == file_count
    assert result["next"] == 0
    assert sum("low" in file["text"] for file in result["files"]) == low_count


def test_files_that_do_not_fit_into_one_result_are_read_in_a_second_call(
    tmp_path: Path,
) -> None:
    """Of ten files, the second and third together are longer than one result."""
    for number in range(10):
        (tmp_path / f"t000{number}.txt").write_text("Priority: high\n")
    (tmp_path / "t0001.txt").write_text("y" * 500_000)
    (tmp_path / "t0002.txt").write_text("y" * 500_000)
    environment = environment_of(tmp_path)

    first = environment.call("read_many", {"files": "t000*.txt"})
    second = environment.call(
        "read_many", {"files": "t000*.txt", "start": first["next"]}
    )

    assert len(first["files"]) == 2
    assert len(second["files"]) == 8
    assert second["next"] == 0


def test_file_that_is_longer_than_one_result_of_read_many_is_named_as_cut(
    tmp_path: Path,
) -> None:
    """The result ends within the long file. The short file after it is complete."""
    (tmp_path / "a.txt").write_text("x\n" * 350_000 + "THE END")
    (tmp_path / "b.txt").write_text("short")
    environment = environment_of(tmp_path)

    both_files = environment.call("read_many", {"files": "*.txt"})
    short_file = environment.call("read_many", {"files": "b.txt"})

    assert both_files["truncated"] is True
    assert both_files["cut"] == ["/a.txt"]
    assert both_files["next"] == 0
    assert short_file["truncated"] is False
    assert short_file["cut"] == []


def test_pattern_for_file_names_is_limited_in_length(tmp_path: Path) -> None:
    """A glob is a pattern such as `*.md`. Matching a long one could take long."""
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
    arguments = {"pattern": "x", "context": 1, "limit": 1_000}

    result = environment_of(tmp_path).call("search", arguments)

    first_match, second_match, third_match = result["matches"][:3]
    assert first_match["line"] == 1
    assert first_match["first"] == 1
    assert second_match["line"] == 2
    assert second_match["first"] == 3
    assert third_match["line"] == 3
    assert third_match["first"] == 4


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
    """The user may change files while a question is answered. The kept file is in Latin-1."""
    (tmp_path / "kept.txt").write_bytes("gr\xfcne Eule\n".encode("latin-1"))
    (tmp_path / "deleted.txt").write_text("Eule\n")
    environment = environment_of(tmp_path)
    (tmp_path / "deleted.txt").unlink()

    result = environment.call("search", {"pattern": "Eule"})

    assert result["matches"] == [{"path": "/kept.txt", "line": 1, "text": "grüne Eule"}]
    assert result["searched"] == "2 of 2 files"
