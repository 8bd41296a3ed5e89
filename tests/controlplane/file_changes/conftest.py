"""The folder whose files the tests of this folder change."""

from pathlib import Path

import pytest

from tests.controlplane.file_changes.text_folder import TextFolder


@pytest.fixture
def folder(tmp_path: Path) -> TextFolder:
    """An empty folder."""
    return TextFolder(tmp_path)
