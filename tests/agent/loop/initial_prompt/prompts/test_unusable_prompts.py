"""A prompt of the user is a readable text, neither empty nor too long.

A user may replace the product's prompts by a folder of own ones (`--prompts FOLDER`). Each test spoils
one file in `folder`, a copy of the product's prompts, named `mine`.
"""

from pathlib import Path

import pytest

from tests.agent.loop.initial_prompt.prompts.refused_folder import refusal_of


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 32_001, id="one character too long"),
        # A file with so many bytes is refused without being read whole.
        pytest.param("é" * 9 * 32_000, id="nine times too long"),
    ],
)
def test_a_prompt_that_is_too_long_is_refused(folder: Path, text: str) -> None:
    (folder / "nudge.md").write_text(text)

    assert "mine/nudge.md is longer than 32,000" in refusal_of(folder)


def test_an_empty_prompt_is_refused(folder: Path) -> None:
    """Blanks and line breaks do not count."""
    (folder / "system.md").write_text(" \n")

    assert "mine/system.md is empty" in refusal_of(folder)


def test_a_prompt_that_is_not_utf_8_is_refused_with_its_line(folder: Path) -> None:
    """The second line of the file has a byte that UTF-8 does not know."""
    (folder / "time.md").write_bytes(b"a\nb\xff")

    assert "time.md, line 2: it is not UTF-8" in refusal_of(folder)


def test_a_folder_in_the_place_of_a_prompt_is_refused(folder: Path) -> None:
    (folder / "time.md").unlink()
    (folder / "time.md").mkdir()

    refusal = refusal_of(folder)

    assert "cannot read " in refusal
    assert "time.md: Is a directory" in refusal
