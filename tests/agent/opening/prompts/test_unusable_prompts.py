"""A prompt of the user is a readable text, neither empty nor too long.

A user may replace the product's prompts by a folder of own ones (`--prompts FOLDER`). Each test spoils
one file in `folder`, a copy of the product's prompts, named `mine`.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.agent.loop import PromptError, read_prompts
from controlplane.agent.loop.prompts import FOLDER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the product's own prompts, the folder `mine`."""
    copy = tmp_path / "mine"
    shutil.copytree(FOLDER, copy)
    return copy


# The message with which a folder of own prompts is refused.
#
# `refusal_of(folder)` -> "mine/system.md is empty; ...", one line that names the file.


def refusal_of(folder: Path) -> str:
    """Return the message of the error with which the folder is refused, which is one line."""
    with pytest.raises(PromptError) as refused:
        read_prompts(folder)
    message = str(refused.value)
    assert "\n" not in message
    return message


# A prompt of the user has the holes that the product fills, and no others.
#
# A user may replace the product's prompts by a folder of own ones (`--prompts FOLDER`). A hole is a name
# in double braces: `{{instruction}}` becomes the request of the user. `folder` is a copy of the product's
# prompts, named `mine`.


def test_a_hole_that_the_product_does_not_fill_is_refused(folder: Path) -> None:
    """The model would read `{{weather}}`."""
    path = folder / "warning.md"
    path.write_text(path.read_text() + "The {{weather}}.\n")

    expected_message = (
        "mine/warning.md, line 2: it has the hole {{weather}}, which nothing fills "
        "(known: left)"
    )
    assert expected_message in refusal_of(folder)


def test_a_first_message_without_a_hole_for_the_request_is_refused(
    folder: Path,
) -> None:
    """The model would not be told what to do."""
    path = folder / "first_message.md"
    path.write_text(path.read_text().replace("{{instruction}}", "it"))

    assert "mine/first_message.md lacks the hole {{instruction}}" in refusal_of(folder)


# A folder of own prompts has a file for each prompt of the product.
#
# A user may replace the product's prompts by such a folder (`--prompts FOLDER`). Here `folder` is a copy
# of the product's prompts, named `mine`, from which files are removed.


def test_missing_prompts_are_named_together(folder: Path) -> None:
    """The message says from where to copy those that the user wants to keep."""
    (folder / "time.md").unlink()
    (folder / "context.md").unlink()

    refusal = refusal_of(folder)

    assert "mine has no time.md, context.md; " in refusal
    assert refusal.partition(": copy those to be kept from ")[2].endswith("prompts")


def test_a_missing_folder_is_refused(folder: Path) -> None:
    """The user has probably misspelt its name."""
    shutil.rmtree(folder)

    refusal = refusal_of(folder)

    assert "there is no folder " in refusal
    assert refusal.endswith("mine")


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
