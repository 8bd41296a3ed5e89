"""The settings of runs that a Python program starts."""

from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.library.program_tasks import PAY_REPLY, STOCK_REPLY


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Change to a new folder, and return the settings of runs with a model that solves both tasks:
    `controlplane.run([STOCK_TASK], **settings)`."""
    (tmp_path / "replies.toml").write_text(STOCK_REPLY + PAY_REPLY)
    monkeypatch.chdir(tmp_path)
    return {"model": "scripted:replies.toml", "runs_dir": str(tmp_path / "runs")}
