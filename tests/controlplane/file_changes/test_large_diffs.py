"""A model may propose any text, and the user waits for the diff: it takes little work and memory."""

from pathlib import Path

import pytest

from tests.support.command import run_python

NUMBERED_LINES = "\n".join(f"{n} {n % 7}" for n in range(400_000))


@pytest.mark.parametrize(
    ("old_text", "new_text"),
    [
        pytest.param(NUMBERED_LINES, NUMBERED_LINES[::-1], id="400,000 lines each"),
        pytest.param("a\nb\n" * 200, "b\na\n" * 200, id="equal lines"),
        pytest.param("\0" * 10_000_000, "now a text\n", id="10 MB of nothing"),
        pytest.param("x" * 8_000_000, "y" + "x" * 7_999_999, id="one line of 8 MB"),
    ],
)
def test_a_diff_of_large_texts_takes_little_work_and_memory(
    tmp_path: Path, old_text: str, new_text: str
) -> None:
    """Work is counted in lines of Python that are executed, which is the same on any machine."""
    (tmp_path / "a.txt").write_text(old_text)
    (tmp_path / "new.txt").write_text(new_text)

    measured = run_python("-m", "tests.controlplane.file_changes.diff_cost", tmp_path)

    assert measured.code == 0, measured.err
    assert measured.json["executed_lines"] < 1_000_000
    assert measured.json["growth_mb"] < 200
