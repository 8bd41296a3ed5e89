"""A loop of `improve` edits files of the working folder only if they are named.

    improve --edit prompts --edit hints.txt

Without `--edit`, it edits the prompts of the product, and hints that are empty.
"""

from pathlib import Path

import pytest

from controlplane.configuration.run_settings import RunSettings
from controlplane.improving.candidates import edited_files


@pytest.fixture
def texts_in_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the working folder have a prompt and hints of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/system.md").write_text("of the folder", encoding="utf-8")
    (tmp_path / "hints.txt").write_text("of the folder", encoding="utf-8")


@pytest.mark.usefixtures("texts_in_working_folder")
def test_files_that_only_lie_in_the_working_folder_are_not_edited() -> None:
    texts = edited_files((), RunSettings(model="m")).texts

    assert texts["hints.txt"] == ""
    assert "of the folder" not in texts["prompts/system.md"]


@pytest.mark.usefixtures("texts_in_working_folder")
def test_files_of_the_working_folder_are_edited_if_they_are_named() -> None:
    """The user names them by `--edit prompts --edit hints.txt`."""
    texts = edited_files(("prompts", "hints.txt"), RunSettings(model="m")).texts

    assert texts == {"prompts/system.md": "of the folder", "hints.txt": "of the folder"}
