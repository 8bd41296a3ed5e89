"""Recorded runs that many tests look at."""

from pathlib import Path

import pytest

from tests.support.command import Result, controlplane
from tests.support.crowd import SCRIPT


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three turns that fit every trial of the crowd."""
    path = tmp_path_factory.mktemp("script") / "crowd.toml"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def recorded(script: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A folder with one finished run of 25 trials in its `runs`, every fifth of them wrong, and what it printed."""
    folder = tmp_path_factory.mktemp("recorded")
    done = controlplane(
        "run", "--benchmark", "tests.support.crowd:25", "--model", f"scripted:{script}", "--name", "first", cwd=folder
    )
    return folder, done
