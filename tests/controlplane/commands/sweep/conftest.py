"""The file of a sweep in the working folder, which plays three tasks with and without gates."""

from pathlib import Path

import pytest

from tests.controlplane.commands.sweep.sweep_results import sweep_text


@pytest.fixture
def file_of_two_runs(tmp_path: Path, script: Path) -> None:
    """The file s.toml in the working folder, a sweep of two runs: "base", and "gates=none"."""
    (tmp_path / "s.toml").write_text(sweep_text(script), encoding="utf-8")
