"""What tests of folders of own prompts share."""

import shutil
from pathlib import Path

import pytest

from controlplane.agent.loop.prompts import FOLDER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the product's own prompts, the folder `mine`."""
    copy = tmp_path / "mine"
    shutil.copytree(FOLDER, copy)
    return copy
