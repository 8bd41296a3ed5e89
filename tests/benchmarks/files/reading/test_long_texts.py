"""A text that is longer than one result is read in parts.

The call `harness.read("/long.txt")` of a script returns at most about a megabyte of a file. The
result has `truncated`, which is true if something is missing, and `next_char`: where in the text the
next part begins, or 0 if there is none.
"""

from pathlib import Path

import pytest

from tests.benchmarks.files.opened_files import environment_of


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
    """A script calls `read` again, from the character `next_char` on, until that is 0."""
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
