"""Terminals in which runs of a small benchmark play."""

from pathlib import Path

import pytest

from tests.controlplane.view.progress.terminals.run_terminals import Terminals


@pytest.fixture
def terminals(tmp_path: Path, script: Path) -> Terminals:
    """Terminals in the empty folder of the test, with the replies of a model that fit each trial."""
    return Terminals(tmp_path, script)
