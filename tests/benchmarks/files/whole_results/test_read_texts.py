"""The parts of a text, or of many texts, that calls return, are together the whole.

No call on files loses a part silently. `random_text(rng)` is a text of up to 1.5 million characters,
which may be longer than a result. A truncated one says where the next call begins.
"""

import random
from pathlib import Path

import pytest

from tests.benchmarks.files.opened_files import environment_of
from tests.benchmarks.files.whole_results.random_texts import call, random_text

# Every file of a folder is listed by a call, or its result says `truncated`.


def test_all_files_are_listed_or_the_result_is_truncated(
    rng: random.Random, tmp_path: Path
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
    tree_result = call(environment, "tree", level=0)

    if not find_result["truncated"]:
        found_names = {path.removeprefix("/") for path in find_result["paths"]}
        assert found_names == names
    assert {entry["name"] for entry in list_result["entries"]} == names
    assert {child["name"] for child in tree_result["children"]} == names


# Every match of a search is shown, or its result says `truncated`.
#
# `random_text(rng)` is a text of up to 1.5 million characters, in lines of any length.


@pytest.mark.parametrize("pattern", ["needle", r"n\w+dle", r"\bneedle\b"])
def test_search_shows_the_match_or_is_truncated(
    rng: random.Random, tmp_path: Path, pattern: str
) -> None:
    """The word "needle" is put at a random place of a text."""
    text = random_text(rng)
    index = rng.randrange(len(text))
    text_with_needle = f"{text[:index]} needle {text[index:]}"
    (tmp_path / "a.txt").write_bytes(text_with_needle.encode())

    result = call(environment_of(tmp_path), "search", pattern=pattern, limit=0)

    if not result["truncated"]:
        shown_text = "".join(match["text"] for match in result["matches"])
        assert "needle" in shown_text


def test_search_for_any_character_finds_every_filled_line_or_is_truncated(
    rng: random.Random, tmp_path: Path
) -> None:
    """The pattern `.` matches in every line that is not empty."""
    text = random_text(rng)
    (tmp_path / "a.txt").write_bytes(text.encode())
    filled_lines = set()
    for number, line in enumerate(text.split("\n"), start=1):
        if line.removesuffix("\r"):  # Lines may end as on Windows.
            filled_lines.add(number)

    result = call(environment_of(tmp_path), "search", pattern=".", limit=0)

    if not result["truncated"]:
        found_lines = {match["line"] for match in result["matches"]}
        assert found_lines >= filled_lines


def test_parts_of_a_file_are_its_whole_text(rng: random.Random, tmp_path: Path) -> None:
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
    rng: random.Random, tmp_path: Path
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
