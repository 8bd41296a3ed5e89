"""The folder `docs`, which questions to `controlplane mcp docs` can be about."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the subfolder `docs`, which questions can be about."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text("- loan-02: kept until 2026-03-01.\n")
    return tmp_path
