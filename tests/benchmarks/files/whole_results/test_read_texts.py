"""The parts of a text, or of many texts, that calls return, are together the whole.

No call on files loses a part silently. `random_text(rng)` is a text of up to 1.5 million characters,
which may be longer than a result. A truncated one says where the next call begins.
"""

import random
from pathlib import Path

from tests.benchmarks.files.opened_files import environment_of
from tests.benchmarks.files.whole_results.random_texts import call, random_text


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
