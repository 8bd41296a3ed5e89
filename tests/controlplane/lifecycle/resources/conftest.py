"""A model that is a script."""

from pathlib import Path

import pytest


@pytest.fixture
def model(tmp_path: Path) -> str:
    """The name of a model that is a script. It is not asked, as no run begins."""
    replies = "[[reply]]\nstate = 's'\ndone = true\ncode = 'print(1)'\n"
    (tmp_path / "replies.toml").write_text(replies)
    return "scripted:replies.toml"
