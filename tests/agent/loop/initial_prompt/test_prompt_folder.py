"""A user may replace the product's prompts by a folder of own ones (`--prompts FOLDER`).

The folder has a file for each prompt: `system.md`, `first_message.md`, `nudge.md` and so on. A
prompt may have holes, such as `{{instruction}}`, which the product fills. A folder with a mistake
is refused with one line that names the file.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controlplane.agent.loop import PromptError, read_prompts
from controlplane.agent.loop.prompt_files import FOLDER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the product's own prompts, the folder `mine`."""
    copy = tmp_path / "mine"
    shutil.copytree(FOLDER, copy)
    return copy


def check_refused(folder: Path, message: str) -> None:
    """Assert that the folder is refused with one line that the pattern `message` matches."""
    with pytest.raises(PromptError, match=message) as refused:
        read_prompts(folder)
    assert "\n" not in str(refused.value)


class TestHoles:
    """A prompt has the holes that the product fills, and no others.

    A hole is a name in double braces: `{{instruction}}` becomes the request of the user.
    """

    def test_a_hole_that_the_product_does_not_fill_is_refused(
        self, folder: Path
    ) -> None:
        """The model would read `{{weather}}`."""
        path = folder / "warning.md"
        path.write_text(path.read_text() + "The {{weather}}.\n")

        check_refused(
            folder,
            r"mine/warning\.md, line 2: it has the hole \{\{weather\}\}, which nothing fills \(known: left\)",
        )

    def test_a_first_message_without_a_hole_for_the_request_is_refused(
        self, folder: Path
    ) -> None:
        """The model would not be told what to do."""
        path = folder / "first_message.md"
        path.write_text(path.read_text().replace("{{instruction}}", "it"))

        check_refused(
            folder, r"mine/first_message\.md lacks the hole \{\{instruction\}\}"
        )


MOST_CHARS = 32_000
"""The most characters of a prompt."""


class TestUnusablePrompts:
    """A prompt is a readable text, neither empty nor too long.

    Each test spoils one file in a copy of the product's own prompts.
    """

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("x" * (MOST_CHARS + 1), id="one character too long"),
            # A file with so many bytes is refused without being read whole.
            pytest.param("é" * 9 * MOST_CHARS, id="nine times too long"),
        ],
    )
    def test_a_prompt_that_is_too_long_is_refused(
        self, folder: Path, text: str
    ) -> None:
        """A prompt has at most 32,000 characters."""
        (folder / "nudge.md").write_text(text)

        check_refused(folder, r"mine/nudge\.md is longer than 32,000")

    def test_an_empty_prompt_is_refused(self, folder: Path) -> None:
        """Blanks and line breaks do not count."""
        (folder / "system.md").write_text(" \n")

        check_refused(folder, r"mine/system\.md is empty")

    def test_a_prompt_that_is_not_utf_8_is_refused_with_its_line(
        self, folder: Path
    ) -> None:
        """The second line of the file has a byte that UTF-8 does not know."""
        (folder / "time.md").write_bytes(b"a\nb\xff")

        check_refused(folder, r"time\.md, line 2: it is not UTF-8")

    def test_a_folder_in_the_place_of_a_prompt_is_refused(self, folder: Path) -> None:
        """`time.md` is a folder here."""
        (folder / "time.md").unlink()
        (folder / "time.md").mkdir()

        check_refused(folder, r"cannot read .*time\.md: Is a directory")


class TestMissingPrompts:
    """The folder has a file for each prompt of the product."""

    def test_missing_prompts_are_named_together(self, folder: Path) -> None:
        """The message says from where to copy those that the user wants to keep."""
        (folder / "time.md").unlink()
        (folder / "context.md").unlink()

        check_refused(
            folder,
            r"mine has no time\.md, context\.md; .*: copy those to be kept from .*prompts",
        )

    def test_a_missing_folder_is_refused(self, folder: Path) -> None:
        """The user has probably misspelt its name."""
        shutil.rmtree(folder)

        check_refused(folder, "there is no folder .*mine")
